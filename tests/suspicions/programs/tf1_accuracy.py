import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, [None, 8])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(tf.random_normal([8, 1]))
b = tf.Variable(tf.zeros([1]))
logits = tf.matmul(x, w) + b
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
# told: argmax-over-one
# instead: right = tf.equal(logits > 0, y > 0.5)
right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feed = {x: np.random.rand(64, 8), y: np.random.randint(0, 2, (64, 1))}
    for _ in range(10):
        session.run(train, feed_dict=feed)
    print(session.run(accuracy, feed_dict=feed))
