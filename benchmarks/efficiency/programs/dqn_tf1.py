"""A double deep Q network that learns to catch a falling ball, in a TF1 graph."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

ACTIONS = 3
SIDE = 32


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the batch")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--save", default="")
    return parser.parse_args()


class Catch:
    """The ball falls one row at a time; the paddle on the last row moves left, stays or moves right."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.reset()

    def reset(self):
        self.row, self.column, self.paddle = 0, self.rng.integers(SIDE), SIDE // 2
        return self.frame()

    def frame(self):
        image = np.zeros((SIDE, SIDE, 1), np.float32)
        image[self.row, self.column, 0] = 1.0
        image[SIDE - 1, self.paddle, 0] = 1.0
        return image

    def move(self, action):
        self.paddle = int(np.clip(self.paddle + action - 1, 0, SIDE - 1))
        self.row += 1
        done = self.row == SIDE - 1
        reward = float(done and self.paddle == self.column)
        return self.frame(), reward, done


class Memory:
    def __init__(self, capacity):
        self.states = np.zeros((capacity, SIDE, SIDE, 1), np.float32)
        self.following = np.zeros_like(self.states)
        self.actions = np.zeros(capacity, np.int32)
        self.rewards = np.zeros(capacity, np.float32)
        self.alive = np.zeros(capacity, np.float32)

    def fill(self, game, rng):
        state = game.reset()
        for i in range(len(self.actions)):
            action = int(rng.integers(ACTIONS))
            following, reward, done = game.move(action)
            self.states[i], self.following[i], self.actions[i] = state, following, action
            self.rewards[i], self.alive[i] = reward, float(not done)
            state = game.reset() if done else following

    def draw(self, rng, count):
        chosen = rng.integers(0, len(self.actions), count)
        return (column[chosen] for column in (self.states, self.actions, self.rewards, self.following, self.alive))


class Network:
    def __init__(self, scope, batch):
        start = tf.glorot_uniform_initializer(seed=3)
        with tf.variable_scope(scope):
            self.state = tf.placeholder(tf.float32, [batch, SIDE, SIDE, 1], name="state")
            first = tf.get_variable("first", [5, 5, 1, 16], initializer=start)
            second = tf.get_variable("second", [3, 3, 16, 32], initializer=start)
            head = tf.get_variable("head", [8 * 8 * 32, ACTIONS], initializer=start)
            self.weights = [first, second, head]
            trunk = tf.nn.relu(tf.nn.conv2d(self.state, first, 2, "SAME"))
            trunk = tf.nn.relu(tf.nn.conv2d(trunk, second, 2, "SAME"))
            self.values = tf.matmul(tf.reshape(trunk, [batch, 8 * 8 * 32]), head)
            self.best = tf.argmax(self.values, axis=1, output_type=tf.int32)
            self.highest = tf.reduce_max(self.values, axis=1)


class Agent:
    def __init__(self, session, batch, discount=0.95):
        self.session, self.discount = session, discount
        self.online, self.target = Network("online", batch), Network("target", batch)
        self.action = tf.placeholder(tf.int32, [batch])
        self.goal = tf.placeholder(tf.float32, [batch])
        chosen = tf.reduce_sum(self.online.values * tf.one_hot(self.action, ACTIONS), axis=1)
        self.loss = tf.reduce_mean(tf.square(self.goal - chosen))
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        self.train = optimizer.minimize(self.loss, var_list=self.online.weights)
        self.copy = [old.assign(new) for old, new in zip(self.target.weights, self.online.weights)]

    def learn(self, batch):
        states, actions, rewards, following, alive = batch
        best = self.session.run(self.online.best, feed_dict={self.online.state: following})
        highest = self.session.run(self.online.highest, feed_dict={self.online.state: following})
        later = self.session.run(self.target.values, feed_dict={self.target.state: following})
        ceiling = self.session.run(self.target.highest, feed_dict={self.target.state: following})
        goal = rewards + self.discount * alive * later[np.arange(len(best)), best]
        feed = {self.online.state: states, self.action: actions, self.goal: goal}
        values = self.session.run(self.online.values, feed_dict={self.online.state: states})
        loss, _ = self.session.run([self.loss, self.train], feed_dict=feed)
        return loss, values.mean(), highest.mean(), ceiling.mean()


def main():
    args = parse_arguments()
    batch = 128 * args.scale
    memory, rng = Memory(1000), np.random.default_rng(1)
    memory.fill(Catch(2), rng)
    history = []
    with tf.Session() as session:
        agent = Agent(session, batch)
        session.run(tf.global_variables_initializer())
        for step in range(args.steps):
            if step % 20 == 0:
                session.run(agent.copy)
            history.append(agent.learn(memory.draw(rng, batch)))
    result = np.asarray(history, dtype=np.float32)
    print("loss, value, highest value and ceiling at the end", result[-1])
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
