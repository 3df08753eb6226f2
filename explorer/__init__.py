"""Stage 2, explore: acts on an app in a real browser and reads what its code did."""
