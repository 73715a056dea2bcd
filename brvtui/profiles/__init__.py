"""Names of the ByteRover profiles that come with the program; their files are in this folder."""

DEFAULT = "brv-3"
BUILT_IN = (DEFAULT, "docs", "combined")
