"""A LIBSVM file larger than memory, for `mercer train --stream`: python3 bench/stream.py FILE GIGABYTES [SEED]

Rows have 75 entries of 75,000 features; columns at the front of each thousand are frequent, as words are. Labels are the signs of a
linear function of the features and noise, wrong for about one row in six. The bytes depend on the size and the seed alone.

    python3 bench/stream.py big.libsvm 8
    prlimit --as=2147483648 mercer train --method linear-svc --stream --memory 1800 big.libsvm big.mercer

Each entry has a fixed number of characters, ` 012345:0.1234`, so that arrays of characters make the text: about 200 MB/s.
"""

import sys

import numpy as np

ENTRIES, STRATUM, BATCH = 75, 1000, 20_000
DIGITS = np.frombuffer(b"0123456789", dtype=np.uint8)


def batch(random: np.random.Generator, truth: np.ndarray) -> bytes:
    """Rows as text."""
    places = (STRATUM * random.random((BATCH, ENTRIES)) ** 3).astype(np.int64)
    columns = np.arange(ENTRIES) * STRATUM + places
    values = random.integers(1, 10_000, (BATCH, ENTRIES))
    output = (truth[columns] * values * 1e-4).sum(axis=1) + 1.5 * random.standard_normal(BATCH)
    text = np.empty((BATCH, 3 + 14 * ENTRIES), dtype=np.uint8)
    text[:, 0] = np.where(output > 0, ord("+"), ord("-"))
    text[:, 1], text[:, -1] = ord("1"), ord("\n")
    cells = text[:, 2:-1].reshape(BATCH, ENTRIES, 14)
    cells[:] = np.frombuffer(b" 000000:0.0000", dtype=np.uint8)
    index = columns + 1
    for digit in range(6):
        cells[:, :, 6 - digit] = DIGITS[index // 10**digit % 10]
    for digit in range(4):
        cells[:, :, 13 - digit] = DIGITS[values // 10**digit % 10]
    return text.tobytes()


def main() -> None:
    path, size = sys.argv[1], float(sys.argv[2]) * 1e9
    random = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    truth = random.standard_normal(ENTRIES * STRATUM)
    written = 0
    with open(path, "wb") as out:
        while written < size:
            written += out.write(batch(random, truth))


if __name__ == "__main__":
    main()
