"""A sequence-to-sequence model that learns to reverse sentences, in a TF1 graph."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

PAD, GO = 0, 1


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the length of a sentence")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--save", default="")
    return parser.parse_args()


class Corpus:
    def __init__(self, words, longest, count, seed=3):
        self.longest = longest
        rng = np.random.default_rng(seed)
        lengths = rng.integers(longest // 2, longest + 1, count)
        self.sentences = [rng.integers(2, words, length).tolist() for length in lengths]

    def pair(self, index):
        source = self.sentences[index]
        return source, source[::-1]

    def batch(self, indices):
        pairs = [self.pair(index) for index in indices]
        sources = np.full((len(pairs), self.longest), PAD, np.int32)
        targets = np.full((len(pairs), self.longest), PAD, np.int32)
        for i, (source, target) in enumerate(pairs):
            for j in range(len(source)):
                sources[i, j] = source[j]
            for j in range(len(target)):
                targets[i, j] = target[j]
        return sources, targets

    def mask(self, targets):
        rows, columns = targets.shape
        weights = np.zeros((rows, columns), np.float32)
        for i in range(rows):
            for j in range(columns):
                weights[i, j] = float(targets[i, j] != PAD)
        return weights


class Seq2Seq:
    def __init__(self, words, batch, longest, hidden):
        self.batch, self.longest, self.hidden = batch, longest, hidden
        self.sources = tf.placeholder(tf.int32, [batch, longest])
        self.targets = tf.placeholder(tf.int32, [batch, longest])
        self.weights = tf.placeholder(tf.float32, [batch, longest])
        start = tf.random_normal_initializer(stddev=0.08, seed=5)
        self.embedding = tf.get_variable("embedding", [words, hidden], initializer=start)
        self.kernels = {
            (part, gate): tf.get_variable(f"{part}_{gate}", [2 * hidden, width], initializer=start)
            for part in ("encoder", "decoder")
            for gate, width in (("gates", 2 * hidden), ("candidate", hidden))
        }
        self.head = tf.get_variable("head", [hidden, words], initializer=start)
        logits = self.decode(self.encode())
        flat = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.targets, logits=logits)
        self.loss = tf.reduce_sum(flat * self.weights) / tf.reduce_sum(self.weights)
        self.train = tf.train.AdamOptimizer(0.003).minimize(self.loss)

    def cell(self, part, value, state):
        both = tf.concat([value, state], axis=1)
        keep, reset = tf.split(tf.sigmoid(tf.matmul(both, self.kernels[part, "gates"])), 2, axis=1)
        partial = tf.concat([value, reset * state], axis=1)
        candidate = tf.tanh(tf.matmul(partial, self.kernels[part, "candidate"]))
        return keep * state + (1 - keep) * candidate

    def encode(self):
        values = tf.nn.embedding_lookup(self.embedding, self.sources)
        state = tf.zeros([self.batch, self.hidden])
        for t in range(self.longest):
            state = self.cell("encoder", values[:, t], state)
        return state

    def decode(self, state):
        first = tf.fill([self.batch, 1], GO)
        shifted = tf.concat([first, self.targets[:, :-1]], axis=1)
        values = tf.nn.embedding_lookup(self.embedding, shifted)
        outputs = []
        for t in range(self.longest):
            state = self.cell("decoder", values[:, t], state)
            outputs.append(state)
        return tf.tensordot(tf.stack(outputs, axis=1), self.head, axes=1)


def main():
    args = parse_arguments()
    words, batch, longest = 50, 32, 24 * args.scale
    corpus = Corpus(words, longest, 200)
    model = Seq2Seq(words, batch, longest, hidden=64)
    rng, losses = np.random.default_rng(1), []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(args.steps):
            sources, targets = corpus.batch(rng.integers(0, 200, batch))
            feed = {model.sources: sources, model.targets: targets, model.weights: corpus.mask(targets)}
            loss, _ = session.run([model.loss, model.train], feed_dict=feed)
            losses.append(loss)
            print(f"step {step}: loss {loss:.4f}")
    if args.save:
        np.save(args.save, np.asarray(losses, dtype=np.float32))


if __name__ == "__main__":
    main()
