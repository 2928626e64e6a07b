"""A character-level LSTM language model, unrolled by hand in a TF1 graph."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the length of a sequence")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_text(length, seed=4):
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("abcdefghijklmnop"), rng.integers(2, 8))) for _ in range(60)]
    text = " ".join(words[i] for i in rng.integers(0, len(words), length // 3))
    return text[:length]


class TextLoader:
    """Turns a text into batches of character numbers and the numbers that follow them."""

    def __init__(self, text, batch, length):
        self.vocabulary = {}
        for character in text:
            if character not in self.vocabulary:
                self.vocabulary[character] = len(self.vocabulary)
        self.codes = self.encode(text)
        self.batch, self.length = batch, length
        self.count = (len(self.codes) - 1) // (batch * length)
        self.position = 0

    def encode(self, text):
        return np.array([self.vocabulary[character] for character in text], dtype=np.int32)

    def followers(self, codes):
        following = np.zeros_like(codes)
        for i in range(len(codes) - 1):
            following[i] = codes[i + 1]
        return following

    def next_batch(self):
        size = self.batch * self.length
        start = (self.position % self.count) * size
        self.position += 1
        codes = self.codes[start : start + size + 1]
        inputs = codes[:-1].reshape(self.batch, self.length)
        targets = self.followers(codes)[:-1].reshape(self.batch, self.length)
        return inputs, targets


class CharRNN:
    def __init__(self, symbols, batch, length, hidden, rate=0.002):
        self.hidden = hidden
        self.inputs = tf.placeholder(tf.int32, [batch, length])
        self.targets = tf.placeholder(tf.int32, [batch, length])
        start = tf.random_normal_initializer(stddev=0.05, seed=9)
        self.embedding = tf.get_variable("embedding", [symbols, hidden], initializer=start)
        self.kernel = tf.get_variable("kernel", [2 * hidden, 4 * hidden], initializer=start)
        self.bias = tf.get_variable("bias", [4 * hidden], initializer=tf.zeros_initializer())
        self.head = tf.get_variable("head", [hidden, symbols], initializer=start)
        outputs = self.unroll(tf.nn.embedding_lookup(self.embedding, self.inputs), batch, length)
        logits = tf.matmul(tf.reshape(outputs, [-1, hidden]), self.head)
        labels = tf.reshape(self.targets, [-1])
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        self.train = tf.train.AdamOptimizer(rate).minimize(self.loss)

    def cell(self, value, state, output):
        gates = tf.matmul(tf.concat([value, output], axis=1), self.kernel) + self.bias
        write, forget, read, candidate = tf.split(gates, 4, axis=1)
        state = tf.sigmoid(forget + 1.0) * state + tf.sigmoid(write) * tf.tanh(candidate)
        return state, tf.sigmoid(read) * tf.tanh(state)

    def unroll(self, values, batch, length):
        state = tf.zeros([batch, self.hidden])
        output = tf.zeros([batch, self.hidden])
        outputs = []
        for t in range(length):
            state, output = self.cell(values[:, t], state, output)
            outputs.append(output)
        return tf.stack(outputs, axis=1)


def main():
    args = parse_arguments()
    batch, length = 16, 60 * args.scale
    loader = TextLoader(make_text(batch * length * args.steps + 1), batch, length)
    model = CharRNN(len(loader.vocabulary), batch, length, hidden=128)
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(args.steps):
            inputs, targets = loader.next_batch()
            feed = {model.inputs: inputs, model.targets: targets}
            loss, _ = session.run([model.loss, model.train], feed_dict=feed)
            losses.append(loss)
            print(f"step {step}: loss {loss:.4f}")
    if args.save:
        np.save(args.save, np.asarray(losses, dtype=np.float32))


if __name__ == "__main__":
    main()
