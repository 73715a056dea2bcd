"""Strategies for almost valid notes, almost valid queries, and arbitrary texts."""

from __future__ import annotations

from hypothesis import strategies as st

ANY = st.text(st.characters(codec=None), max_size=60)
"""Any characters, including lone surrogates."""

ODD = st.sampled_from(
    [
        *("\0", "\x1b[31m", "\x1b]0;t\x07", "\x7f", "\x85", "\x0b", "\x0c", "\x1c", "\u2028", "\u2029", "\ufeff"),
        *("\u202e", "\u2066", "\u200b", "\u200d", "\ufe0f", "\udc80", "\ud800", "\U000e0001", "e\u0301\u0301\u0301"),
        *(
            "😀",
            "👩‍👩‍👧",
            "日本語",
            "שלום",
            "ﷺ",
            "İ",
            "ß",
            "Σς",
            "🇦🇧",
            "[red]",
            "[/red]",
            "[@click=app.quit]x[/]",
            "%s",
            "{0}",
        ),
        *("\r", "\r\n", "\n", "\t", "   ", "a" * 300, "x\n" * 40, "word " * 60),
    ]
)
_YAML = st.sampled_from(
    [
        *("---\n", "---\r\n", "...\n", "--- \n", "---", "title: T\n", "maturity: core\n", "maturity: [core\n"),
        *("importance: 1e999\n", "importance: .nan\n", "importance: 0x1F\n", "importance: 1_0\n", "recency: 0o7\n"),
        *("importance: 60\n", "recency: 0.5\n", "accessCount: 1:30\n", "updateCount: -1\n", "tags: [a, b]\n"),
        *('related: [a/b.md, \'@../x.md\', "q\\""]\n', "related:\n  - a/b.md\n  - - deep\n", "related: *a\n"),
        *("related: &a [*a]\n", "? [complex, key]\n: v\n", "k: !!python/object:os.system x\n", "k: !!binary a\n"),
        *(
            "k: !!timestamp 2026-99-99\n",
            "k: 2026-11-20T12:00:00Z\n",
            "k: 2001-12-14t21:59:43.10-05:00\n",
            "k: 1:2:3\n",
        ),
        *(
            "<<: {a: 1}\n",
            "<<: *x\n",
            "a: &x 1\nb: *x\n",
            "k: |\n  text\n\n  more\n",
            "k: >-\n  a\n b\n",
            "'k': \"v\"\n",
        ),
        *(
            "a: 1\na: 2\n",
            "1: x\n",
            "null: x\n",
            "k: {a: [1, {b: c}]}\n",
            "k: '\n",
            "\tk: v\n",
            "# only a comment\n",
            "k:\n",
        ),
        *(
            "type: summary\n",
            "condensation_order: 2\n",
            "condensation_order: 1e400\n",
            "token_count: []\n",
            "type: archive_stub\n",
        ),
        *("points_to: ../../x.full.md\n", "points_to: _archived/a/b.full.md\n", "original_path: a/b.md\n"),
        *(
            'original_path: "a\\0b.md"\n',
            "updatedAt: 2026-02-30\n",
            "updatedAt: 99999999999999999999\n",
            "created: Infinity\n",
        ),
        *(
            "{a: b}\n",
            "[a, b]\n",
            "text\n",
            "%YAML 1.1\n",
            "!!set {a}\n",
            "- a\n- b\n",
            "k: " + "[" * 50 + "\n",
            "é: 日\n",
        ),
    ]
)
_MARKDOWN = st.sampled_from(
    [
        *(
            "# Title\n",
            "## Relations\n",
            "####### seven\n",
            "Setext\n===\n",
            "- a\n  - b\n    - c\n",
            "1. a\n2. b\n",
            "> q\n>> r\n",
        ),
        *(
            "@a/b.md ",
            "@../x.md ",
            "@/etc/passwd ",
            "@a\\b.md ",
            "@ ",
            "@@a/b ",
            "[t](a/b.md) ",
            "[t](../../x.md) ",
        ),
        *(
            "[t](%2e%2e/%2e%2e/x.md) ",
            "[t](<a b.md>) ",
            "[t](a%00b.md) ",
            '[t](a(b)c.md "title") ',
            "[t](javascript:x) ",
        ),
        *("[t][ref] ", "[ref]: a/b.md\n", "[ref]: <../x.md> 'q'\n", "![i](a.png) ", "[[a/b]] ", "<http://x.example> "),
        *(
            "[a]([b](c.md)) ",
            "](",
            "][",
            "\\](x) ",
            "[^1]: note\n",
            "`code` ",
            "``a ` b`` ",
            "`",
            "```py\n",
            "```\n",
            "~~~~\n",
            "~~s~~ ",
        ),
        *(
            "| a | b |\n| --- | :-: |\n| 1 | 2 |\n",
            "| a\n|-\n",
            "***b*i** ",
            "__x_ ",
            "---\n",
            "***\n",
            "<b>html</b>\n",
            "<!-- -->\n",
        ),
        *(
            "    code\n",
            "&amp; &#0; &#x110000; ",
            "\\",
            "  \n",
            "* * *\n",
            "[x] ",
            "- [ ] todo\n",
            "=======\n",
            "<<<<<<< \n",
        ),
    ]
)
_QUERY = st.sampled_from(
    [
        *(
            "quokka",
            "anchor",
            "refresh-token",
            "auth",
            "auth/jwt",
            "x/good.md",
            "context.md",
            "/",
            "//",
            "..",
            "../..",
            "/etc/passwd",
        ),
        *(
            "AND",
            "OR",
            "NOT",
            "and",
            "not",
            '"',
            '""',
            '"a b"',
            '"a b',
            "*",
            "quo*",
            "**",
            "+a",
            "-a",
            "~",
            "^",
            ":",
            "title:x",
            "NEAR(a b)",
        ),
        *(
            "(",
            ")",
            "[lib]:x",
            "?",
            "!",
            "%2e%2e%2f",
            "\\",
            "the of and",
            "__proto__",
            "constructor",
            "1e999",
            "0",
            "-0",
            "a" * 200,
        ),
        *("x/" * 60, "' OR 1=1 --", "{a}", "café", "cafe\u0301", "ＦＵＬＬ", "ﬁ", "kg²", "naïve", "日本", "\u3000"),
    ]
)

NOTES = st.lists(st.one_of(_YAML, _MARKDOWN, _MARKDOWN, ODD, ANY), max_size=14).map("".join)
"""Bodies and broken beginnings of notes."""
BLOCKS = st.tuples(st.lists(st.one_of(_YAML, _YAML, _YAML, ODD), max_size=8).map("".join), NOTES).map(
    lambda parts: f"---\n{parts[0]}---\n{parts[1]}"
)
"""Notes that begin with a block."""
TEXTS = st.one_of(NOTES, BLOCKS)
BYTES = st.one_of(
    TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.tuples(TEXTS, st.binary(max_size=8), TEXTS).map(
        lambda parts: parts[0].encode("utf-8", "replace") + parts[1] + parts[2].encode("utf-16", "surrogatepass")
    ),
    st.binary(max_size=300),
)
QUERIES = st.lists(st.one_of(_QUERY, _QUERY, ODD, ANY), max_size=7).map(" ".join)
