"""The profiles of ByteRover that come with the program: their names, beside their files."""

DEFAULT = "brv-3"
BUILT_IN = (DEFAULT, "docs", "combined")
