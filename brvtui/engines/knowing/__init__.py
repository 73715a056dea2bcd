"""The engine ``knowing``: keyword channels choose seeds, and a walk from them ranks a graph of notes, or of code."""
