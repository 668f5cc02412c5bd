"""The catalog: recipes of methods and contracts of pinned frameworks, as data."""
