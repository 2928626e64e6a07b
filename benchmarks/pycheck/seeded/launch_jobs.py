"""Launch one worker process per seed and gather their scores."""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

WORKER = """
import os, random, sys
random.seed(int(sys.argv[1]))
print(os.environ["RANK"], round(random.random(), 4))
"""


def worker_environment(rank, world_size):
    env = dict(os.environ)
    env.update(RANK=str(rank), WORLD_SIZE=str(world_size))
    return env


def launch(rank, seed, world_size, timeout):
    command = [sys.executable, "-c", WORKER, str(seed)]
    env = worker_environment(rank, world_size)
    done = subprocess.run(command, env=env, capture_outputs=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise RuntimeError(f"rank {rank} failed: {done.stderr}")
    rank_text, score = done.stdout.split()
    return int(rank_text), float(score)


def gather(seeds, timeout):
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = [
            pool.submit(launch, rank, seed, len(seeds), timeout) for rank, seed in enumerate(seeds)
        ]
        return dict(future.result() for future in futures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--timeout", type=float, default=60.0)
    args = parser.parse_args()
    scores = gather(args.seeds, args.timeout)
    for rank in sorted(scores):
        print("rank", rank, "score", scores[rank])


if __name__ == "__main__":
    main()
