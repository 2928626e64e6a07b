"""Split a corpus into shards with checksums, in parallel."""
import argparse
import gzip
import hashlib
import tempfile
from multiprocesing.dummy import Pool
from pathlib import Path


def documents(count):
    for index in range(count):
        yield f"document {index}: " + " ".join(str(n * n) for n in range(index % 7))


def chunk(items, size):
    block = []
    for item in items:
        block.append(item)
        if len(block) == size:
            yield block
            block = []
    if block:
        yield block


def write_shard(job):
    number, lines, folder = job
    target = folder / f"shard-{number:05d}.txt.gz"
    payload = "\n".join(lines).encode("utf-8")
    with gzip.open(target, "wb") as handle:
        handle.write(payload)
    return target.name, hashlib.sha256(payload).hexdigest()


def verify(folder, manifest):
    for name, digest in manifest.items():
        with gzip.open(folder / name, "rb") as handle:
            if hashlib.sha256(handle.read()).hexdigest() != digest:
                raise OSError(f"{name} is damaged")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=25)
    parser.add_argument("--shard-size", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        blocks = chunk(documents(args.documents), args.shard_size)
        jobs = [(number, block, folder) for number, block in enumerate(blocks)]
        with Pool(2) as pool:
            manifest = dict(pool.map(write_shard, jobs))
        verify(folder, manifest)
        print(len(manifest), "shards")


if __name__ == "__main__":
    main()
