"""The example scripts, and the Python of the READMEs and of the book, run as they are in a folder that has `data/`."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_svmlight_file

import mercer

FOLDER = Path(__file__).resolve().parents[1]
ROOT = FOLDER.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 120

SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("examples/*.py"))}
BLOCKS = {
    f"{path.relative_to(ROOT).as_posix()}:{number}": text
    for path in (ROOT / "README.md", FOLDER / "README.md", *sorted(ROOT.glob("docs/*.md")))
    for number, text in enumerate(BLOCK.findall(path.read_text(encoding="utf-8")), start=1)
}


def test_there_are_examples_and_ten_lines_in_the_readme() -> None:
    assert SCRIPTS
    assert "README.md:1" in BLOCKS


@pytest.mark.parametrize("name", [*SCRIPTS, *BLOCKS])
def test_runs(name: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "data", tmp_path / "data")
    if "heart.mercer" in (text := (SCRIPTS | BLOCKS)[name]) and "save" not in text:
        # The model of the page's first lines.
        rows, labels = load_svmlight_file(ROOT / "data/heart_scale.libsvm.gz")
        mercer.save(mercer.SVC(gamma=0.5, C=10.0).fit(rows, labels), tmp_path / "heart.mercer")
    script = tmp_path / "example.py"
    script.write_text((SCRIPTS | BLOCKS)[name], encoding="utf-8")
    command = [sys.executable, "-W", "error::DeprecationWarning:__main__", script.name]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ, timeout=SECONDS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
