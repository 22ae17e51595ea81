"""Questions made from the user's own tasks, without a model: known-item questions, as if half remembered."""
