"""A small project with one example of everything, with the same bytes and ages in every run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.trees import Tree

STRANGE = "auth/strange.md"

_NOTES: tuple[tuple[str, str, str, float, dict[str, object]], ...] = (
    ("auth/jwt/refresh_rotation.md", "Refresh rotation", "Each use of a refresh token gives a new one; the old "
     "token is rotated out after thirty seconds. A reused token revokes the whole family.", 4, {}),
    ("auth/jwt/session_expiry.md", "Session expiry", "Sessions end after twelve hours. A refresh token may "
     "renew a session until its family expires.", 9, {"importance": 68, "maturity": "validated", "accessCount": 7}),
    ("auth/jwt/token_store.md", "Token store", "Tokens are kept hashed, one row a family. The store answers in two "
     "milliseconds.", 2, {"importance": 91, "maturity": "core", "accessCount": 31, "updateCount": 4}),
    ("auth/oauth/scopes.md", "OAuth scopes", "Scopes follow the resource, never the client. A token carries at "
     "most eight.", 40, {"importance": 55}),
    ("auth/oauth/key_rotation.md", "Key rotation", "Signing keys are rotated every ninety days; two keys are valid "
     "at once.", 75, {"importance": 47}),
    ("billing/invoices/numbering.md", "Invoice numbering", "Numbers run without gaps per country and year.", 12,
     {"importance": 72, "maturity": "validated"}),
    ("billing/invoices/context.md", "Invoices", "How invoices are made, numbered and sent.", 20, {}),
    ("billing/refunds.md", "Refunds", "A refund never changes an invoice: it makes a credit note.", 150, {}),
    ("deploy/rollback.md", "Rollback", "Roll back by pointing the alias at the last image; migrations stay.", 1,
     {"importance": 88, "maturity": "core", "accessCount": 19}),
    ("deploy/freeze_window.md", "Freeze window", "No deploys from Friday noon to Monday morning.", 33,
     {"importance": 61}),
    ("i18n/rotation_ja.md", "トークンの更新", "リフレッシュトークンは三十秒後に無効になります。", 6, {}),
    (STRANGE, "A [red]title[/red] \x1b[31mwith\u202e tricks", "Body with a \x07 bell, a tab\there and 🎉 emoji "
     "👨\u200d👩\u200d👧.", 8, {}),
)  # fmt: skip


def plant(root: Path) -> Tree:
    """Creates the project in ``root``, with its signals in ``signals.json`` next to ``.brv``."""
    tree = Tree(root)
    signals: dict[str, object] = {}
    for path, title, text, days, stored in _NOTES:
        tree.file(path, f"# {title}\n\n## Narrative\n{text}\n", days)
        if stored:
            signals[path] = stored
    tree.file(
        "_archived/auth/jwt/old_flow.stub.md",
        "---\ntype: archive_stub\npoints_to: _archived/auth/jwt/old_flow.full.md\n---\n"
        "# Old JWT flow\n\nToken flow of 2023.\n",
        200,
    )
    tree.summary("auth", "Tokens, sessions and keys.", days=3)
    tree.file("auth/broken.md", b"# Broken \xff\xfe bytes", 5)
    (root / "signals.json").write_text(json.dumps(signals), encoding="utf-8")
    return tree
