#!/usr/bin/env python3
"""Records the words into which the real engine splits 1,000 generated texts, for `tests/parity/test_analysis.py`.

    record_analysis.py --package NODE_MODULES/byterover-cli [--out FILE]

The texts consist of words from the sample tree and its paths, with stop words, capitals, punctuation and odd spaces;
200 of them are in scripts without spaces, in Arabic or Hebrew, or contain combining marks and emoji. The engine
searches the sample tree.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.record_sample_parity import ROOT, SAMPLE, prepare

RECORDED = ROOT / "tests" / "data" / "parity" / "analysis.json.gz"
LATIN, OTHER = 800, 200
MARKS = (*" \t\n.,;:!?-_/'\"`~*()[]{}<>@#$%^&+=|\\", "’", "“", "—", "…", "\u00a0", "\u200b", "\u2028", "\r\n")
STOPS = ("the", "of", "and", "how", "do", "we", "is", "The", "AND", "not", "what", "'s", "to", "in", "a")
SCRIPTS = (
    "日本語 の 検索 東京都 データベース カタカナ ひらがな 半角ｶﾅ 漢字かな交じり、文。",
    "中文 搜索引擎 数据库 「引用」 한국어 검색 데이터베이스",
    "ภาษาไทย ค้นหา ฐานข้อมูล กำลังทดสอบ ลาว ພາສາລາວ ខ្មែរ မြန်မာ हिन्दी खोज क्षेत्र தமிழ்",
    "العربية البحث قاعدة البيانات مُحَمَّد لا، إله؟ فارسی می‌خواهم עברית חיפוש שָׁלוֹם",
    "🎉 👩‍👩‍👧 🇯🇵 👍🏽 ❤️ 😀😀 ☕️ 𝔘𝔫𝔦 𝟛 café CAFÉ cafe\u0301 Straße STRASSE İstanbul ıssız Σίσυφος ﬁn ǅ ½ ² №",
)


def generated(seed: int = 46) -> list[str]:
    """The texts, which depend only on the seed and on the sample tree."""
    pick = random.Random(seed)
    tree = SAMPLE / ".brv" / "context-tree"
    files = sorted(tree.rglob("*.md"))
    words = sorted({word for file in files for word in file.read_text(encoding="utf-8").split()})
    places = sorted({place.as_posix() for file in files for place in file.relative_to(tree).parents} - {"."})
    domains = sorted({place.partition("/")[0] for place in places})
    scripts = [word for line in SCRIPTS for word in line.split()]

    def text(own: list[str]) -> str:
        pieces = []
        for _ in range(pick.choice((1, 1, 2, 3, 4, 5, 8, 12))):
            word = pick.choice(pick.choice((own, own, own, list(STOPS), words)))
            pieces.append(pick.choice((str, str, str, str.upper, str.capitalize, str.lower))(word))
            pieces.append(pick.choice(MARKS) if pick.random() < 0.25 else " ")
        begin = (
            f"{pick.choice(pick.choice((places, domains)))}{pick.choice((' ', '/'))}" if pick.random() < 0.15 else ""
        )
        ends = pick.choice(("", "", "", " ", "?", "\n"))
        return f"{begin}{''.join(pieces).strip()}{ends}"

    latin = [text(words) for _ in range(LATIN)]
    return [*latin, *(text(scripts) for _ in range(OTHER))]


def main() -> None:
    """Runs the engine and writes the recording."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RECORDED)
    given = parser.parse_args()
    texts = generated()
    with tempfile.TemporaryDirectory() as folder:
        project, listed = Path(folder) / "project", Path(folder) / "texts.json"
        prepare(project, defaults=True)
        listed.write_text(json.dumps(texts), encoding="utf-8")
        command = ["node", str(Path(__file__).with_name("analysis_driver.mjs")), str(project), str(listed)]
        environment = {**os.environ, "BRV_PKG": str(given.package)}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    recorded = json.loads(done.stdout)
    recorded["rows"] = [{"query": text, "search": row} for text, row in zip(texts, recorded["rows"], strict=True)]
    given.out.write_bytes(gzip.compress(json.dumps(recorded, ensure_ascii=False).encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
