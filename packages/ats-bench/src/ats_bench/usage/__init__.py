"""What the usage log tells: how often answers were empty, late or asked for again, and which questions to keep."""
