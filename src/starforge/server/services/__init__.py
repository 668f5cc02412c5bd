"""The logic of the server, one module a noun. Routes and the reconciler call it."""
