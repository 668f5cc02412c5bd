"""Engines execute jobs; StarForge translates a plan into their own units and observes."""
