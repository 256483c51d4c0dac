"""Rules about loading: text that agents cut, ignore, refuse, pay for twice, or load too early."""
