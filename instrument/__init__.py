"""Stage 1, instrument: a web app becomes an instrumented Bundle with a map of its probes."""
