"""Makes figures small enough for the book, in place: rounds the numbers of an SVG, gives a PNG a palette of 64 colours.

    target/python-env/bin/python docs/figures/smaller.py docs/figures/*.svg docs/figures/*.png
"""

import re
import sys
from pathlib import Path

from PIL import Image

LARGEST = 100_000

for name in sys.argv[1:]:
    path = Path(name)
    if path.stat().st_size <= LARGEST:
        continue
    if path.suffix == ".svg":
        text = re.sub(r"-?\d+\.\d{2,}", lambda found: f"{float(found[0]):.1f}", path.read_text(encoding="utf-8"))
        text = re.sub(r"\n\s+", "\n", text)
        # A style that many elements share is written once.
        styles = {style: f"s{k}" for k, style in enumerate(sorted(set(re.findall(r'(?<=<use )[^>]*(style="[^"]*")', text))))}
        for style, name in styles.items():
            text = text.replace(style, f'class="{name}"')
        # Neighbours that are clipped by one path stand in one group; names are short.
        text = re.sub(r'(<g clip-path="[^"]*">\n)((?:<use [^>]*/>\n</g>\n\1)+)', lambda g: g[1] + g[2].replace("</g>\n" + g[1], ""), text)
        for k, name in enumerate(sorted(set(re.findall(r'href="#(C[^"]*)"', text)))):
            text = text.replace(name, f"m{k}")
        rules = "".join(f".{name}{{{style[7:-1]}}}" for style, name in styles.items())
        path.write_text(text.replace("<defs>", f"<style>{rules}</style>\n<defs>", 1), encoding="utf-8")
    else:
        image = Image.open(path).convert("RGB")
        width = min(image.width, 900)
        image = image.resize((width, image.height * width // image.width), Image.Resampling.LANCZOS)
        image.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path, path.stat().st_size)
