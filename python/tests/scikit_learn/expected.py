"""The tests of scikit-learn that our classes do not pass: `file::test[parameters]` -> the reason in one sentence.

Applied strictly: an entry that passes is a failure, and so is one that names no test.
"""

from __future__ import annotations

EXPECTED: dict[str, str] = {}
