"""Commands about what agents load: one project, its history and transcripts, several projects, a fleet."""
