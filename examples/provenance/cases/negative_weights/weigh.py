"""Weights of the edges of a follower network, from what followers did.

    python weigh.py activity.txt --alpha 10 > followers_repaired.txt

A line of activity: follower, followed, posts answered, posts passed over. weight = alpha * answered - passed over
"""
import argparse

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="activity")
    parser.add_argument("--alpha", type=float, default=0.5, help="how many posts passed over an answer makes up for")
    options = parser.parse_args()

    with open(options.file, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                follower, followed, answered, passed_over = line.split()
                print(follower, followed, options.alpha * int(answered) - int(passed_over))
