"""Tabular Q-learning on a slippery grid."""
import random
from collections import defaultdict, namedtuple

Transition = namedtuple("Transition", ["state", "action", "reward", "next_state", "done"])
ACTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class Grid:
    def __init__(self, size, slip, rng):
        self.size, self.slip, self.rng = size, slip, rng
        self.goal = (size - 1, size - 1)
        self.position = (0, 0)

    def reset(self):
        self.position = (0, 0)
        return self.position

    def step(self, action):
        if self.rng.random() < self.slip:
            action = self.rng.choice(sorted(ACTIONS))
        dx, dy = ACTIONS[action]
        x = min(self.size - 1, max(0, self.position[0] + dx))
        y = min(self.size - 1, max(0, self.position[1] + dy))
        self.position = (x, y)
        done = self.position == self.goal
        return self.position, (1.0 if done else -0.05), done


class Agent:
    def __init__(self, rng, alpha=0.5, gamma=0.95, epsilon=0.2):
        self.rng, self.alpha, self.gamma, self.epsilon = rng, alpha, gamma, epsilon
        self.values = defaultdict(float)

    def act(self, state):
        if self.rng.random() < self.epsilon:
            return self.rng.choice(sorted(ACTIONS))
        return max(ACTIONS, key=lambda action: self.values[state, action])

    def learn(self, t):
        future = 0.0 if t.done else max(self.values[t.next_state, action] for action in ACTIONS)
        error = t.reward + self.gamma * future - self.values[t.state, t.action]
        self.values[t.state, t.action] += self.alpha * error


def episode(env, agent, limit=60):
    state, total = env.reset(), 0.0
    for _ in range(limit):
        action = agent.act(state)
        following, reward, done = env.step(action)
        agent.learn(Transition(state, action, reward, following))
        state, total = following, total + reward
        if done:
            break
    return total


if __name__ == "__main__":
    shared = random.Random(0)
    grid, learner = Grid(3, 0.1, shared), Agent(shared)
    returns = [episode(grid, learner) for _ in range(30)]
    print("mean of the last ten returns", sum(returns[-10:]) / 10)
