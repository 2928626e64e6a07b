"""Encoder-decoder in Flax with modules declared in setup."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Encoder(nn.Module):
    hidden: int
    latent: int

    def setup(self):
        self.dense1 = nn.Dense(self.hidden)
        self.dense2 = nn.Dense(self.latent)

    def __call__(self, x):
        x = nn.relu(self.dense1(x))
        return self.dense3(x)


class Decoder(nn.Module):
    hidden: int
    outputs: int

    def setup(self):
        self.dense1 = nn.Dense(self.hidden)
        self.dense2 = nn.Dense(self.hidden)
        self.out = nn.Dense(self.outputs)

    def __call__(self, z):
        z = nn.relu(self.dense1(z))
        z = nn.relu(self.dense2(z))
        return self.out(z)


class Autoencoder(nn.Module):
    hidden: int = 16
    latent: int = 3
    outputs: int = 10

    def setup(self):
        self.encoder = Encoder(self.hidden, self.latent)
        self.decoder = Decoder(self.hidden, self.outputs)

    def __call__(self, x):
        return self.decoder(self.encoder(x))


def main(steps=3):
    rng = jax.random.key(1)
    data = jax.random.normal(rng, (16, 10))
    model = Autoencoder()
    params = model.init(rng, data)
    optimizer = optax.adam(1e-2)
    opt_state = optimizer.init(params)
    for step in range(steps):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((model.apply(p, data) - data) ** 2))(params)
        updates, opt_state = optimizer.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
        print("step", step, "loss", float(loss))


if __name__ == "__main__":
    main()
