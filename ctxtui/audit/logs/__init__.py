"""The user's own transcripts: text that agents sent and were billed for at the start, beside our prediction."""
