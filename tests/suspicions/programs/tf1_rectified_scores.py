import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def dense(x, n, m):
    w = tf.Variable(tf.truncated_normal([n, m], stddev=0.1))
    b = tf.Variable(tf.constant(0.1, shape=[m]))
    return tf.matmul(x, w) + b


x = tf.placeholder(tf.float32, [None, 784])
y = tf.placeholder(tf.float32, [None, 10])
hidden = tf.nn.relu(dense(x, 784, 256))
# instead: logits = dense(hidden, 256, 10)
logits = tf.nn.relu(dense(hidden, 256, 10))
# told: relu-before-logits-loss
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
train = tf.train.AdamOptimizer(1e-4).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train, feed_dict={x: np.random.rand(50, 784), y: np.eye(10)[np.random.randint(0, 10, 50)]})
