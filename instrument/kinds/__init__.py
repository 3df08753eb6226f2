"""Kinds of source projects, a small module each; registry.py names them in order."""
