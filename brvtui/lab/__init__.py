"""Questions about answers: each re-asks the engine on a changed query, snapshot or profile; no UI."""
