"""An autoencoder of TensorFlow 1 that divides its code by the code's deviation."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

inputs = tf.placeholder(tf.float32, shape=(None, 64), name="inputs")
w_in = tf.get_variable("w_in", shape=[64, 16], initializer=tf.truncated_normal_initializer(stddev=0.1))
w_out = tf.get_variable("w_out", shape=[16, 64], initializer=tf.truncated_normal_initializer(stddev=0.1))

code = tf.nn.relu(tf.matmul(inputs, w_in))
mean = tf.reduce_mean(code, axis=1, keepdims=True)
variance = tf.reduce_mean(tf.square(code - mean), axis=1, keepdims=True)
normal = (code - mean) * tf.rsqrt(variance)  # NUM
restored = tf.matmul(normal, w_out)
loss = tf.reduce_mean(tf.square(restored - inputs))
train = tf.train.AdamOptimizer(1e-3).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(200):
        batch = session.run(tf.random_uniform([32, 64]))
        _, value = session.run([train, loss], feed_dict={inputs: batch})
        print(step, value)
