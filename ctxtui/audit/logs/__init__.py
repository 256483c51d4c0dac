"""The user's own transcripts: what agents really sent and were billed at their starts, beside what we predict."""
