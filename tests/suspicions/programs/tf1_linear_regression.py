import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

xs = np.random.rand(200, 3)
ys = np.random.rand(200)
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None])
weights = tf.Variable(tf.zeros([3, 1]))
bias = tf.Variable(tf.zeros([1]))
# instead: guess = tf.squeeze(tf.matmul(x, weights) + bias, 1)
guess = tf.matmul(x, weights) + bias
# told: loss-broadcasts
cost = tf.reduce_mean(tf.square(guess - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(cost)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(100):
        _, now = session.run([train, cost], feed_dict={x: xs, y: ys})
        print(now)
