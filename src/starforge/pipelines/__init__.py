"""Pipelines: stages that build on each other, read, checked and put in order."""
