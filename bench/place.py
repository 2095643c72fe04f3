"""Where things are: the checkout, its target folder, the data sets. `cargo xtask` sets the two variables."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("MERCER_TARGET", ROOT / "target"))
SHARED = Path(os.environ.get("MERCER_DATA", ROOT.parent / "shared" / "data"))
PREPARED = TARGET / "bench-data"
LIBSVM = TARGET / "bench-libsvm"
MERCER = TARGET / "release" / "mercer"
EXAMPLES = TARGET / "release" / "examples"
