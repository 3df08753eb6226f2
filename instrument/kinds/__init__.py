"""Kinds of source projects, a small module each."""
