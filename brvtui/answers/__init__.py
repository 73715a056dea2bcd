"""The answers that commands and the MCP server share: computed once, as plain data, in full or in short."""
