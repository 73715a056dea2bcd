"""Theme files: allowed contents, and one line per fault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.design import ColorSystem
from textual.theme import BUILTIN_THEMES

from brvtui.app.themes.deriving import roles_of, weak_roles
from brvtui.app.themes.library import COLOURS, OURS, ThemeError, read_library, read_theme, user_folder
from brvtui.app.themes.palette import PREFIX, ROLES, TABLES
from tests.support.settings import own_theme


def test_theme_needs_only_a_primary_colour() -> None:
    theme = read_theme(own_theme('primary = "#336699"'))
    assert (theme.name, theme.primary, theme.dark, theme.ansi, theme.variables) == ("mine", "#336699", True, False, {})
    assert weak_roles(theme) == {}


def test_every_theme_key_can_be_set() -> None:
    lines = ['name = "all"', "dark = false", "ansi = false", "luminosity_spread = 0.2", "text_alpha = 1"]
    lines += [f'{name} = "rebeccapurple"' for name in COLOURS]
    for number, (table, keys) in enumerate(TABLES.items()):
        lines += [f"[{table}]", *(f'{key} = "#000{number}{place:02x}"' for place, key in enumerate(keys))]
    lines += ["[variables]", 'border = "hsl(10,50%,50%)"', 'footer-background = "#123 40%"', 'text-muted = "auto 60%"']
    lines += ['block-cursor-text-style = "bold reverse"', 'link-background = "initial"']
    theme = read_theme(own_theme("\n".join(lines)))
    assert (theme.name, theme.dark, theme.luminosity_spread, theme.text_alpha) == ("all", False, 0.2, 1)
    assert all(getattr(theme, name) == "rebeccapurple" for name in COLOURS)
    assert set(roles_of(theme)) == set(ROLES)
    assert theme.variables[f"{PREFIX}tier-none"] == "#000205"
    assert theme.variables["block-cursor-text-style"] == "bold reverse"
    assert theme.to_color_system().generate()


def test_ansi_theme_may_use_terminal_colours() -> None:
    theme = read_theme(
        own_theme('ansi = true\nprimary = "ansi_blue"\nbackground = "ansi_default"\n[tier]\n0 = "ansi_red"')
    )
    assert theme.ansi
    assert roles_of(theme)["tier-0"] == "ansi_red"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "primary is missing: the theme's main colour"),
        ('primry = "#fff"', "unknown key primry; did you mean primary?"),
        ('primary = "blurple"', "primary = 'blurple' is not a colour; did you mean purple?"),
        ("primary = 3", "primary = 3 must be a colour in quotes"),
        ('primary = "#ffff"', ""),
        ('primary = "#fff8"', "primary = '#fff8' must be opaque"),
        ('primary = "ansi_red"', "primary = 'ansi_red' is a terminal colour: set ansi = true to use it"),
        ('primary = "red"\ndark = "yes"', "dark = 'yes' must be true or false"),
        ('primary = "red"\ntext_alpha = 2', "text_alpha = 2 must be a number between 0 and 1"),
        ('primary = "red"\nname = "a b"', "name = 'a b' must be a name of letters, digits, - and _"),
        ('primary = "red"\ntier = 3', "tier = 3 must be a table"),
        ('primary = "red"\n[tier]\n5 = "red"', "unknown key tier.5; known: 0, 1, 2, 3, 4, none"),
        ('primary = "red"\n[maturity]\ndraf = "red"', "unknown key maturity.draf; did you mean draft?"),
        ('primary = "red"\n[score]\nlost = "#ggg"', "score.lost = '#ggg' is not a colour"),
        ('primary = "red"\n[variables]\nbrv-text = "red"', "unknown key variables.brv-text"),
        ('primary = "red"\n[variables]\nborde = "red"', "unknown key variables.borde; did you mean border?"),
        ('primary = "red"\n[variables]\nborder = "no 3%"', "variables.border = 'no 3%' is not a colour"),
        ('primary = "red"\n[variables]\nborder = "red 3"', "variables.border = 'red 3' must be a colour, or a colour"),
        ('primary = "red"\n[variables]\nborder = ""', "variables.border = '' is not a colour"),
        ('primary = "red"\n[variables]\nlink-style = "big"', "variables.link-style = 'big' must be a text style"),
        ("primary = ", "cannot be read as a theme (Invalid value"),
        (b"\xff", "cannot be read as a theme ('utf-8' codec"),
    ],
)  # fmt: skip
def test_each_fault_is_reported_in_one_line_with_its_file(text: str | bytes, message: str) -> None:
    file = own_theme(text)
    if not message:
        assert read_theme(file).primary == "#ffff"
        return
    with pytest.raises(ThemeError) as caught:
        read_theme(file)
    assert caught.value.args[0].startswith(f"{file}: {message}")
    assert all(line.startswith(f"{file}: ") and "\n" not in line for line in caught.value.args)


def test_file_without_a_usable_name_needs_one() -> None:
    with pytest.raises(ThemeError, match="name = 'my theme' must be a name of letters"):
        read_theme(own_theme('primary = "red"', "my theme.toml"))
    assert read_theme(own_theme('name = "fine"\nprimary = "red"', "my theme.toml")).name == "fine"


def test_all_textual_variables_are_accepted() -> None:
    for name, value in ColorSystem("#336699").generate().items():
        if value not in ("", "initial"):
            read_theme(own_theme(f'primary = "red"\n[variables]\n{name} = "{value}"'))
    for theme in BUILTIN_THEMES.values():
        if not theme.ansi:
            table = "\n".join(f'{name} = "{value}"' for name, value in theme.variables.items())
            assert read_theme(own_theme(f'primary = "red"\n[variables]\n{table}')).variables == theme.variables


_WORDS = st.sampled_from(
    ["primary", "name", "dark", "ansi", "tier", "role", "variables", "=", '"red"', '"ansi_red"', '"#12"', "true",
     "1e999", "\n", "[", "]", ".", "border", "0", "{", "}", "é", "'", "nan"]
)  # fmt: skip


@given(st.one_of(st.binary(max_size=80), st.lists(_WORDS, max_size=25).map(lambda words: " ".join(words).encode())))
def test_any_file_is_read_as_a_theme_or_as_faults(data: bytes) -> None:
    file = own_theme(data)
    try:
        theme = read_theme(file)
    except ThemeError as error:
        lines = error.args
    else:
        lines = (f"{file}: fine",)
        assert roles_of(theme).keys() == set(ROLES)
    assert lines
    assert all(line.startswith(f"{file}: ") and "\n" not in line for line in lines)


# All theme files as a whole


def test_user_files_have_precedence_over_ours_and_textuals() -> None:
    own = own_theme('name = "nord"\nprimary = "red"', "a.toml")
    twice = own_theme('name = "nord"\nprimary = "blue"', "b.toml")
    broken = own_theme("primary = 3", "c.toml")
    own_theme("primary = 3", ".hidden.toml")
    own_theme("primary = 3", "notes.txt")
    library = read_library()
    assert library.themes["nord"].primary == "red"
    assert library.files == {"nord": own}
    assert set(OURS) | set(BUILTIN_THEMES) == library.themes.keys()
    assert library.problems == {
        twice: (f"{twice}: the name nord is taken by a.toml",),
        broken: (f"{broken}: primary = 3 must be a colour in quotes",),
    }


def test_unreadable_folder_has_no_themes() -> None:
    user_folder().parent.mkdir(parents=True)
    user_folder().write_text("x")
    assert read_library().files == {}
