"""Deep Q-learning on a one-dimensional corridor."""
import random
from collections import deque

import torch
from torch import nn

LENGTH = 6


class Corridor:
    def __init__(self, length=LENGTH):
        self.length = length
        self.position = 0

    def reset(self):
        self.position = 0
        return self._state()

    def step(self, action):
        self.position = max(0, self.position + (1 if action == 1 else -1))
        done = self.position == self.length - 1
        return self._state(), 1.0 if done else -0.01, done

    def _state(self):
        state = [0.0] * self.length
        state[self.position] = 1.0
        return state


class ReplayBuffer:
    def __init__(self, capacity):
        self.storage = deque(maxlen=capacity)

    def push(self, *transition):
        self.storage.append(transition)

    def sample(self, batch_size):
        batch = random.sample(self.storage, batch_size)
        states, actions, rewards, next_states, dones = zip(*batch)
        return (torch.tensor(states), torch.tensor(actions), torch.tensor(rewards),
                torch.tensor(next_states), torch.tensor(dones, dtype=torch.float32))

    def __len__(self):
        return len(self.storage)


def learn(policy, target, memory, optimizer, batch_size, gamma=0.95):
    states, actions, rewards, next_states, dones = memory.sample()
    values = policy(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        expected = rewards + gamma * target(next_states).max(dim=1).values * (1 - dones)
    loss = nn.functional.smooth_l1_loss(values, expected)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main(episodes=3, batch_size=8, epsilon=0.8):
    random.seed(0)
    env, memory = Corridor(), ReplayBuffer(500)
    policy, target = nn.Linear(LENGTH, 2), nn.Linear(LENGTH, 2)
    target.load_state_dict(policy.state_dict())
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for episode in range(episodes):
        state, done, steps = env.reset(), False, 0
        while not done and steps < 30:
            explore = random.random() < epsilon
            action = random.randrange(2) if explore else int(policy(torch.tensor(state)).argmax())
            next_state, reward, done = env.step(action)
            memory.push(state, action, reward, next_state, done)
            state, steps = next_state, steps + 1
            if len(memory) >= batch_size:
                learn(policy, target, memory, optimizer, batch_size)
        print("episode", episode, "steps", steps)


if __name__ == "__main__":
    main()
