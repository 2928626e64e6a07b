"""A long job whose logging setup fails, because of one letter."""
import logging
import tempfile
from logging.handler import RotatingFileHandler  # BUG: the module is logging.handlers
from pathlib import Path


def make_logger(folder):
    logger = logging.getLogger("train")
    logger.setLevel(logging.INFO)
    target = Path(folder) / "train.log"
    logger.addHandler(RotatingFileHandler(target, maxBytes=1_000_000, backupCount=3))
    return logger


def main():
    with tempfile.TemporaryDirectory() as folder:
        logger = make_logger(folder)
        weight = 4.0
        for step in range(5):
            weight -= 0.1 * 2 * weight
            logger.info("step %d weight %.4f", step, weight)
        print((Path(folder) / "train.log").read_text())


if __name__ == "__main__":
    main()
