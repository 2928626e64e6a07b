"""tf.data: data sets, what they read, and what makes batches of them."""
