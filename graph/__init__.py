"""Stage 3, abstract: snapshots become states, actions become transitions of a graph."""
