"""Files below one root, never outside it: finding, reading, counting and writing."""
