"""An order in which things that need each other can run."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence


class Cycle(Exception):
    """Things that need each other in a circle; `members` are the indices of one such circle, in order."""

    def __init__(self, members: list[int]) -> None:
        super().__init__(f"a cycle of {len(members)}")
        self.members = members


def topological_order(needs: Sequence[Collection[int]]) -> list[int]:
    """Indices such that each comes after those that it needs, otherwise near the order given. Raises Cycle."""
    waiting = [len(set(need)) for need in needs]
    users: list[list[int]] = [[] for _ in needs]
    for index, need in enumerate(needs):
        for other in set(need):
            users[other].append(index)
    ready = deque(index for index, count in enumerate(waiting) if count == 0)
    order: list[int] = []
    while ready:
        index = ready.popleft()
        order.append(index)
        for user in users[index]:
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)
    if len(order) < len(needs):
        raise Cycle(_circle(needs, {index for index, count in enumerate(waiting) if count}))
    return order


def _circle(needs: Sequence[Collection[int]], stuck: set[int]) -> list[int]:
    """Follow needs among those that never became ready until one repeats."""
    path: list[int] = []
    seen: dict[int, int] = {}
    index = min(stuck)
    while index not in seen:
        seen[index] = len(path)
        path.append(index)
        index = next(need for need in needs[index] if need in stuck)
    return path[seen[index] :][::-1]
