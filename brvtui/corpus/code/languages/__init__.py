"""The supported languages, each a table that maps kinds of syntax nodes to handlers."""

from __future__ import annotations

from brvtui.corpus.code.languages.csharp import CSHARP
from brvtui.corpus.code.languages.golang import GO
from brvtui.corpus.code.languages.java import JAVA
from brvtui.corpus.code.languages.javascript import JAVASCRIPT, TSX, TYPESCRIPT
from brvtui.corpus.code.languages.python import PYTHON
from brvtui.corpus.code.languages.rust import RUST
from brvtui.corpus.code.reading import SourceLanguage

LANGUAGES: tuple[SourceLanguage, ...] = (PYTHON, GO, TYPESCRIPT, TSX, JAVASCRIPT, RUST, JAVA, CSHARP)
_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}


def language_of(path: str) -> SourceLanguage | None:
    """The language of the file ``path``, by its extension; None if it is not a source file."""
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return _BY_EXTENSION.get(f".{extension}") if stem and dot else None
