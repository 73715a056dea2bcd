"""Writes .pictures/contact-sheet.png: all snapshots of the tests in a single picture.

make pictures    (needs Chromium; renews the snapshots first)
"""

from __future__ import annotations

import html
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOTS = ROOT / "tests" / "app" / "__snapshots__"
SHEET = ROOT / ".pictures" / "contact-sheet.png"
COLUMNS, WIDTH, HEIGHT, CAPTION = 8, 300, 190, 14
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def page(pictures: list[Path]) -> str:
    """A page with a cell for each picture and its name."""
    cells = "".join(
        f'<figure><img src="{picture.as_uri()}"><figcaption>{html.escape(picture.stem)}</figcaption></figure>'
        for picture in pictures
    )
    style = (
        f"body{{margin:0;background:#777;display:grid;grid-template-columns:repeat({COLUMNS},{WIDTH}px)}}"
        "body{font:9px sans-serif}"
        f"figure{{margin:0;height:{HEIGHT + CAPTION}px;overflow:hidden}}"
        f"img{{width:{WIDTH - 4}px;height:{HEIGHT}px;object-fit:contain}}"
        "figcaption{color:#fff;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}"
    )
    return f"<!doctype html><meta charset=utf-8><style>{style}</style>{cells}"


def main() -> int:
    """Writes the sheet; returns 1 if there is no browser or no picture."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    pictures = sorted(SNAPSHOTS.rglob("*.svg"))
    if browser is None or not pictures:
        print("no browser here" if browser is None else f"no snapshots in {SNAPSHOTS}", file=sys.stderr)
        return 1
    SHEET.parent.mkdir(exist_ok=True)
    rows = -(-len(pictures) // COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "sheet.html"
        source.write_text(page(pictures), encoding="utf-8")
        size = f"--window-size={COLUMNS * WIDTH},{rows * (HEIGHT + CAPTION)}"
        taken = [f"--user-data-dir={folder}/profile", f"--screenshot={SHEET}", size, source.as_uri()]
        subprocess.run([browser, *FLAGS, *taken], check=True, capture_output=True, timeout=300)
    print(f"{SHEET.relative_to(ROOT)}: {len(pictures)} screens, {SHEET.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
