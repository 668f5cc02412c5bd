"""The trials of a sweep: grids, ranges and random draws."""
