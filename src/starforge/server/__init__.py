"""The server: api (routes), services (logic), store (tables and files), control (reconciler)."""
