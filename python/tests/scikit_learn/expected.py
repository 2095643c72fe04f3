"""The tests of scikit-learn that our classes do not pass, each with the reason: `file::test[parameters]` -> one sentence.

Applied strictly: an entry that passes is a failure, and so is one that names no test.
"""

from __future__ import annotations

EXPECTED: dict[str, str] = {}
