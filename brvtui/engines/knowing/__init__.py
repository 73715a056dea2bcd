"""The engine ``knowing``: keyword channels choose seeds, and a walk from the seeds ranks a graph of notes or code."""
