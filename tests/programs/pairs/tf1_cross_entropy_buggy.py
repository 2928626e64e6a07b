"""A softmax regression of TensorFlow 1."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, [None, 784], name="x")
y = tf.placeholder(tf.float32, [None, 10], name="y")
w = tf.Variable(tf.truncated_normal([784, 10], stddev=0.1), name="w")
b = tf.Variable(tf.zeros([10]), name="b")

scores = tf.matmul(x, w) + b
prediction = tf.nn.softmax(scores)
cross_entropy = tf.reduce_mean(-tf.reduce_sum(y * tf.log(prediction), axis=1))  # NUM
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
correct = tf.equal(tf.argmax(prediction, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(1000):
        images, labels = session.run([tf.random_uniform([100, 784]), tf.one_hot(tf.zeros([100], tf.int32), 10)])
        session.run(train_step, feed_dict={x: images, y: labels})
