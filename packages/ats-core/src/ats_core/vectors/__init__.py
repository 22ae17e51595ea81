"""Dense retrieval's half of the state: who embeds, where vectors are kept, which tasks have one."""
