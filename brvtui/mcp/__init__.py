"""The MCP server: answers to agents' questions about their memory, read-only, over standard input and output."""
