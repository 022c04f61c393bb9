"""Many scenarios: over time, over grids, over topologies."""
