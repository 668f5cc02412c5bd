"""Benchmarks: `make bench` runs all, `python -m benchmarks NAME...` some."""
