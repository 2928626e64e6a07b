"""Recommend items: factors of users and items with a small network on top, in graph mode."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


class Recommender:
    def __init__(self, users, items, factors, tags):
        self.user = tf.placeholder(tf.int32, [None], name="user")
        self.item = tf.placeholder(tf.int32, [None], name="item")
        self.tags = tf.placeholder(tf.float32, [None, tags], name="tags")
        self.rating = tf.placeholder(tf.float32, [None, 1], name="rating")
        user_factors = tf.Variable(tf.random_normal([users, factors], stddev=0.1))
        item_factors = tf.Variable(tf.random_normal([items, factors], stddev=0.1))
        user_bias = tf.Variable(tf.zeros([users]))
        u = tf.nn.embedding_lookup(user_factors, self.user)
        v = tf.nn.embedding_lookup(item_factors, self.item)
        outer = tf.matmul(tf.expand_dims(u, 2), tf.expand_dims(v, 1))
        picture = tf.reshape(outer, [-1, factors, factors, 1])
        filters = tf.Variable(tf.random_normal([3, 3, 1, 8], stddev=0.1))
        crossed = tf.nn.relu(tf.nn.conv2d(picture, filters, strides=[1, 2, 2, 1], padding="SAME"))
        crossed = tf.reduce_mean(crossed, [1, 2])
        tag_weights = tf.Variable(tf.random_normal([tags, 8], stddev=0.1))
        tagged = tf.tanh(tf.matmul(self.tags, tag_weights))
        joined = tf.concat([crossed, tagged, u * v], axis=1)
        hidden = tf.layers.dense(joined, 16, activation=tf.nn.relu)
        bias = tf.expand_dims(tf.gather(user_bias, self.user), 1)
        self.predicted = tf.layers.dense(hidden, 1) + bias
        self.loss = tf.losses.mean_squared_error(self.rating, self.predicted)
        decay = tf.nn.l2_loss(user_factors) + tf.nn.l2_loss(item_factors)
        self.train = tf.train.AdamOptimizer(0.01).minimize(self.loss + 1e-4 * decay)
        norms = tf.sqrt(tf.reduce_sum(tf.square(item_factors), axis=1, keepdims=True))
        unit = item_factors / norms
        self.similar = tf.matmul(unit, tf.transpose(unit))


def sample(rng, count, users, items, tags):
    user = rng.randint(0, users, count)
    item = rng.randint(0, items, count)
    features = rng.rand(count, tags)
    rating = np.reshape(1 + 4 * rng.rand(count), [count, 1])
    return user, item, features, rating


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--factors", type=int, default=8)
    parser.add_argument("--tags", type=int, default=12)
    args = parser.parse_args()
    rng = np.random.RandomState(0)
    model = Recommender(args.users, args.items, args.factors, args.tags)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(20):
            user, item, features, rating = sample(rng, 64, args.users, args.items, args.tags)
            feed = {model.user: user, model.item: item, model.tags: features, model.rating: rating}
            _, loss = session.run([model.train, model.loss], feed_dict=feed)
        print("loss", loss)
        similar = session.run(model.similar)
        np.fill_diagonal(similar, -1.0)
        print("closest pairs", np.dstack([np.arange(args.items), similar.argmax(axis=1)])[0][:5].tolist())
        user, item, features, _ = sample(rng, 10, args.users, args.items, args.tags)
        feed = {model.user: user, model.item: item, model.tags: features}
        print("ratings", model.predicted.eval(feed_dict=feed).reshape(10).round(2))


if __name__ == "__main__":
    main()
