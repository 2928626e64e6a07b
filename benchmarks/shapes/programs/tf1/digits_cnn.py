"""Recognise digits: convolutions with weights from get_variable, batch normalisation and a summary of errors."""


import numpy as np
import tensorflow as tf

SIDE = 28
BATCH = 20
CLASSES = 10


def conv(name, x, size, channels_in, channels_out, stride=1):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [size, size, channels_in, channels_out], initializer=tf.glorot_uniform_initializer())
        b = tf.get_variable("b", [channels_out], initializer=tf.zeros_initializer())
        return tf.nn.bias_add(tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding="SAME"), b)


def normalise(name, x, channels):
    with tf.variable_scope(name):
        scale = tf.get_variable("scale", [channels], initializer=tf.ones_initializer())
        shift = tf.get_variable("shift", [channels], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        return tf.nn.batch_normalization(x, mean, variance, shift, scale, 1e-5)


def network(images, keep_prob):
    x = tf.reshape(images, [-1, SIDE, SIDE, 1])
    x = tf.nn.relu(normalise("bn1", conv("conv1", x, 5, 1, 16), 16))
    x = tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    shortcut = conv("shortcut", x, 1, 16, 32, stride=2)
    x = tf.nn.relu(normalise("bn2", conv("conv2", x, 3, 16, 32, stride=2), 32))
    x = conv("conv3", x, 3, 32, 32) + shortcut
    x = tf.nn.relu(x)
    x = tf.reshape(x, [-1, 7 * 7 * 32])
    w1 = tf.Variable(tf.truncated_normal([7 * 7 * 32, 64], stddev=0.05))
    b1 = tf.Variable(tf.zeros([64]))
    x = tf.nn.relu(tf.matmul(x, w1) + b1)
    x = tf.nn.dropout(x, keep_prob)
    w2 = tf.Variable(tf.truncated_normal([64, CLASSES], stddev=0.05))
    b2 = tf.Variable(tf.zeros([CLASSES]))
    return tf.matmul(x, w2) + b2


def digits(count, seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, CLASSES, count)
    images = rng.rand(count, SIDE, SIDE) * 0.5
    for image, label in zip(images, labels):
        image[2 * label : 2 * label + 4] += 0.5
    return images.reshape(count, SIDE * SIDE).astype(np.float32), labels


def main():
    images = tf.placeholder(tf.float32, shape=[None, SIDE * SIDE], name="images")
    labels = tf.placeholder(tf.int64, shape=[None], name="labels")
    keep_prob = tf.placeholder(tf.float32, shape=[], name="keep_prob")
    logits = network(images, keep_prob)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.002, step, 100, 0.9)
    train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    hits = tf.equal(tf.argmax(logits, 1), labels)
    confusion = tf.matmul(tf.one_hot(labels, CLASSES), tf.one_hot(tf.argmax(logits, 1), CLASSES), transpose_a=True)

    train_images, train_labels = digits(200, 0)
    test_images, test_labels = digits(60, 1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(2):
            order = np.random.RandomState(epoch).permutation(len(train_images))
            for start in range(0, len(order), BATCH):
                chosen = order[start : start + BATCH]
                feed = {images: train_images[chosen], labels: train_labels[chosen], keep_prob: 0.7}
                _, cost = sess.run([train, loss], feed_dict=feed)
            feed = {images: test_images, labels: test_labels, keep_prob: 1.0}
            found, table = sess.run([hits, confusion], feed_dict=feed)
            print("epoch", epoch, "loss", cost, "accuracy", found.mean(), "on the diagonal", np.trace(table))


if __name__ == "__main__":
    main()
