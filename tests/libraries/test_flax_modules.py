"""Modules that a program defines itself: mlvet finds the variables and results that Flax makes of them."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from textwrap import dedent
from types import ModuleType

import pytest
from library_agreement import differences, interpreted

HEAD = """
import functools, jax, jax.numpy as jnp, optax, flax
from typing import Any, Sequence
from flax import linen as nn, nnx, struct
from flax.training import train_state
key = jax.random.key(0)
"""
PROGRAMS = {
    "compact layers are numbered by their class": """
        class Net(nn.Module):
            features: Sequence[int]
            classes: int = 3
            @nn.compact
            def __call__(self, x):
                for size in self.features:
                    x = nn.relu(nn.Dense(size)(x))
                return nn.Dense(self.classes, name='head')(x)
        answer = Net((4, 5)).init_with_output(key, jnp.ones((2, 6)))
    """,
    "a method that scans along an axis": """
        class Net(nn.Module):
            size: int
            @functools.partial(
                nn.scan, variable_broadcast='params', in_axes=1, out_axes=1, split_rngs={'params': False}
            )
            @nn.compact
            def __call__(self, carry, x):
                return nn.OptimizedLSTMCell(self.size)(carry, x)
        start = nn.OptimizedLSTMCell(5, parent=None).initialize_carry(key, (2, 4))
        answer = Net(5).init_with_output(key, start, jnp.ones((2, 3, 4)))
    """,
    "setup names layers by attribute": """
        class Net(nn.Module):
            def setup(self):
                self.layers = [nn.Dense(3) for _ in range(2)]
                self.table = {'a': nn.Dense(2)}
                self.tail = nn.Sequential([nn.Dense(4), nn.relu])
            def __call__(self, x):
                for layer in self.layers:
                    x = layer(x)
                return self.tail(self.table['a'](x))
        answer = Net().init_with_output(key, jnp.ones((2, 6)))
    """,
    "modules in fields": """
        class Inner(nn.Module):
            @nn.compact
            def __call__(self, x):
                return nn.Sequential([nn.Dense(4), nn.relu, nn.Dense(3)])(x)
        class Outer(nn.Module):
            inner: nn.Module
            @nn.compact
            def __call__(self, x):
                return self.inner(nn.Dense(5)(x))
        answer = Outer(Inner()).init_with_output(key, jnp.ones((1, 2)))
    """,
    "a module called twice shares its parameters": """
        class Block(nn.Module):
            @nn.compact
            def __call__(self, x):
                return nn.Dense(4)(x)
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                block = Block()
                return block(block(x))
        answer = Net().init_with_output(key, jnp.ones((1, 4)))
    """,
    "apply checks the parameters": """
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                return nn.Dense(4)(x)
        variables = Net().init(key, jnp.ones((1, 4)))
        answer = Net().apply(variables, jnp.ones((1, 5)))
    """,
    "other methods by function and by name": """
        class Auto(nn.Module):
            size: int
            def setup(self):
                self.encoder = nn.Dense(self.size)
                self.decoder = nn.Dense(7)
            def encode(self, x):
                return self.encoder(x)
            def __call__(self, x):
                return self.decoder(self.encode(x))
        model = Auto(size=3)
        variables = model.init(key, jnp.ones((2, 7)))
        x = jnp.ones((5, 7))
        answer = [model.apply(variables, x, method=each) for each in (Auto.encode, 'encode', model.encode)]
    """,
    "own parameters and statistics": """
        class Scale(nn.Module):
            @nn.compact
            def __call__(self, x, train):
                w = self.param('w', nn.initializers.normal(0.1), (x.shape[-1], 2))
                seen = self.variable('stats', 'seen', jnp.zeros, (x.shape[-1],))
                if train:
                    seen.value = seen.value + x.mean(0)
                self.sow('intermediates', 'product', x @ w)
                return nn.BatchNorm(use_running_average=not train)(x @ w)
        model = Scale()
        variables = model.init(key, jnp.ones((3, 4)), train=False)
        answer = variables, model.apply(variables, jnp.ones((5, 4)), train=True, mutable=['stats', 'batch_stats'])
    """,
    "scan along layers": """
        class Block(nn.Module):
            @nn.compact
            def __call__(self, carry, x):
                return nn.Dense(4)(carry), x * 2
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                scan = nn.scan(Block, variable_axes={'params': 0}, split_rngs={'params': True}, length=3)
                return scan()(x, jnp.ones((3, 2)))
        answer = Net().init_with_output(key, jnp.ones((1, 4)))
    """,
    "vmap over members": """
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                return nn.vmap(nn.Dense, variable_axes={'params': 0}, split_rngs={'params': True})(5)(x)
        answer = Net().init_with_output(key, jnp.ones((3, 4)))
    """,
    "remat and a recurrent layer": """
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                x = nn.RNN(nn.LSTMCell(4))(x)
                return nn.remat(nn.Dense)(2)(x)
        answer = Net().init_with_output(key, jnp.ones((2, 5, 3)))[0]
    """,
    "a training step": """
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                x = nn.Conv(features=8, kernel_size=(3, 3))(x)
                x = nn.avg_pool(nn.relu(x), window_shape=(2, 2), strides=(2, 2))
                return nn.Dense(10)(x.reshape((x.shape[0], -1)))
        @jax.jit
        def step(state, images, labels):
            def loss_fn(params):
                logits = state.apply_fn({'params': params}, images)
                return optax.softmax_cross_entropy(logits, jax.nn.one_hot(labels, 10)).mean(), logits
            (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
            return state.apply_gradients(grads=grads), loss, jnp.mean(jnp.argmax(logits, -1) == labels)
        model = Net()
        params = model.init(key, jnp.ones((1, 28, 28, 1)))['params']
        state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(0.1, 0.9))
        state, loss, accuracy = step(state, jnp.ones((4, 28, 28, 1)), jnp.zeros(4, int))
        answer = state.params, loss, accuracy
    """,
    "a state with statistics": """
        class State(train_state.TrainState):
            batch_stats: Any
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x, train: bool = True):
                return nn.BatchNorm(use_running_average=not train)(nn.Dense(3)(x))
        model = Net()
        variables = model.init(key, jnp.ones((2, 4)))
        params, stats = variables['params'], variables['batch_stats']
        state = State.create(apply_fn=model.apply, params=params, batch_stats=stats, tx=optax.adam(1e-3))
        variables = {'params': state.params, 'batch_stats': state.batch_stats}
        y, new = state.apply_fn(variables, jnp.ones((5, 4)), mutable=['batch_stats'])
        state = state.replace(batch_stats=new['batch_stats'])
        answer = y, state.batch_stats
    """,
    "data classes that are trees": """
        @struct.dataclass
        class Config:
            size: int = 3
            x: Any = None
        a = Config(x=jnp.ones(2))
        b = a.replace(size=5)
        answer = a.size, b.size, jax.tree.map(lambda v: v * 2, Config(1, jnp.ones(4))).x
    """,
    "modules of nnx": """
        class Net(nnx.Module):
            def __init__(self, size, rngs):
                self.first = nnx.Linear(4, size, rngs=rngs)
                self.norm = nnx.BatchNorm(size, rngs=rngs)
                self.scale = nnx.Param(jnp.ones(size))
            def __call__(self, x):
                return nnx.relu(self.norm(self.first(x))) * self.scale
        @nnx.jit
        def step(model, optimizer, x):
            def loss_fn(model):
                return model(x).mean()
            loss, grads = nnx.value_and_grad(loss_fn)(model)
            optimizer.update(model, grads)
            return loss, grads['first']['kernel'][...]
        model = Net(3, nnx.Rngs(0))
        optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
        done = step(model, optimizer, jnp.ones((5, 4)))
        answer = model(jnp.ones((2, 4))), done, nnx.state(model, nnx.Param)['scale'].shape
    """,
    "a wrong size in nnx": """
        class Net(nnx.Module):
            def __init__(self, rngs):
                self.first = nnx.Linear(4, 5, rngs=rngs)
                self.second = nnx.Linear(6, 2, rngs=rngs)
            def __call__(self, x):
                return self.second(self.first(x))
        answer = Net(nnx.Rngs(0))(jnp.ones((2, 4)))
    """,
}


@pytest.mark.skipif(find_spec("flax") is None or find_spec("optax") is None, reason="Flax is not installed")
@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_of_the_program(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from real_side import described

    program = HEAD + dedent(PROGRAMS[name])
    module = ModuleType("program")
    monkeypatch.setitem(sys.modules, "program", module)
    try:
        exec(compile(program, "program.py", "exec"), module.__dict__)
        real = described(module.answer)
    except Exception as error:
        real = {"kind": "raises", "type": type(error).__name__, "message": str(error)}
    answer = interpreted(program, {})
    assert not answer.is_unknown
    assert list(differences(real, answer)) == []
