"""Stage 4, judge: scores from recorded evidence alone."""
