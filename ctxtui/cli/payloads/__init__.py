"""Commands that make payloads: picks, recipes, delivery."""
