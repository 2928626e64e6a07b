"""A double deep Q network on stored transitions of a point that seeks a goal, in PyTorch."""

import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

ACTIONS = 4


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the batch")
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--save", default="")
    return parser.parse_args()


@dataclass
class Transitions:
    states: torch.Tensor
    actions: torch.Tensor
    rewards: torch.Tensor
    following: torch.Tensor

    def draw(self, generator, count):
        chosen = torch.randint(len(self.actions), (count,), generator=generator)
        return self.states[chosen], self.actions[chosen], self.rewards[chosen], self.following[chosen]


def make_transitions(count, size, seed=2):
    generator = torch.Generator().manual_seed(seed)
    states = torch.randn(count, size, generator=generator)
    actions = torch.randint(ACTIONS, (count,), generator=generator)
    pushes = 0.1 * torch.randn(ACTIONS, size, generator=generator)
    following = 0.95 * states + pushes[actions]
    rewards = states.norm(dim=1) - following.norm(dim=1)
    return Transitions(states, actions, rewards, following)


class QNetwork(nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.value = nn.Linear(width, 1)
        self.advantage = nn.Linear(width, ACTIONS)

    def forward(self, states):
        features = self.trunk(states)
        advantage = self.advantage(features)
        return self.value(features) + advantage - advantage.mean(1, keepdim=True)


class Agent:
    def __init__(self, size, width, discount=0.9):
        self.online, self.target = QNetwork(size, width), QNetwork(size, width)
        self.optimizer = torch.optim.SGD(self.online.parameters(), lr=0.01)
        self.discount = discount

    def synchronise(self):
        self.target.load_state_dict(self.online.state_dict())

    @torch.no_grad()
    def greedy(self, states):
        return self.online(states).argmax(1)

    @torch.no_grad()
    def confidence(self, states):
        ordered = self.online(states).sort(1, descending=True).values
        return (ordered[:, 0] - ordered[:, 1]).mean()

    @torch.no_grad()
    def goals(self, rewards, following):
        best = self.greedy(following)
        later = self.target(following).gather(1, best[:, None])[:, 0]
        return rewards + self.discount * later

    @torch.no_grad()
    def highest_value(self, states):
        return self.online(states).amax(1).mean()

    @torch.no_grad()
    def mean_value(self, states):
        return self.online(states).mean()

    def learn(self, states, actions, rewards, following):
        goals = self.goals(rewards, following)
        gap = self.confidence(following)
        highest = self.highest_value(following)
        value = self.mean_value(states)
        chosen = self.online(states).gather(1, actions[:, None])[:, 0]
        loss = F.smooth_l1_loss(chosen, goals)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return torch.stack([loss.detach(), gap, value, highest])


def main():
    args = parse_arguments()
    torch.manual_seed(0)
    size, batch = 64, 512 * args.scale
    transitions = make_transitions(5000, size)
    agent = Agent(size, width=512)
    generator = torch.Generator().manual_seed(4)
    history = []
    for step in range(args.steps):
        if step % 25 == 0:
            agent.synchronise()
        history.append(agent.learn(*transitions.draw(generator, batch)))
        if step % 25 == 24:
            print(f"step {step}: mean value of the first states {agent.mean_value(transitions.states[:batch]):.4f}")
    result = torch.stack(history).numpy()
    print("loss, gap, value and highest value at the end", result[-1])
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
