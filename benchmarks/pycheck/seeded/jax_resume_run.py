"""Resume a JAX run from an npz snapshot when one can be read."""
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp


def save(path, params, step):
    arrays = {f"param_{name}": value for name, value in params.items()}
    jnp.savez(path, step=step, **arrays)


def load(path):
    with jnp.load(path) as archive:
        step = int(archive["step"])
        params = {key.removeprefix("param_"): jnp.asarray(archive[key]) for key in archive if key != "step"}
    return params, step


def fresh(seed):
    key = jax.random.PRNGKey(seed)
    return {"scale": jax.random.normal(key, (4,)), "shift": jnp.zeros(4)}


def restore(path, seed):
    try:
        return load(path)
    except (OSError, KeyError) as error:
        print(f"cannot resume: {type(error).__name__}")
    print(f"starting over, last problem: {error}")
    return fresh(seed), 0


@jax.jit
def update(params, x):
    def objective(p):
        return jnp.mean((x * p["scale"] + p["shift"] - 1.0) ** 2)

    value, grads = jax.value_and_grad(objective)(params)
    return {name: params[name] - 0.1 * grads[name] for name in params}, value


def main(total=4):
    x = jnp.linspace(0.5, 1.5, 4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.npz"
        params, step = restore(path, seed=0)
        while step < total:
            params, value = update(params, x)
            step += 1
            print("step", step, "value", float(value))
            save(path, params, step)


if __name__ == "__main__":
    main()
