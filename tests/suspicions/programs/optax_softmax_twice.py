import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(32)(x))
        x = nn.Dense(6)(x)
        # instead: return x
        return nn.softmax(x)


model = Classifier()
x, y = jnp.ones((20, 10)), jnp.zeros(20, dtype=int)
params = model.init(jax.random.PRNGKey(1), x)


def loss_fn(params):
    logits = model.apply(params, x)
    # told: softmax-before-logits-loss
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


loss, grads = jax.value_and_grad(loss_fn)(params)
