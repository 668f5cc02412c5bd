"""Routes: parse, authorize, call a service, shape the answer. No logic."""
