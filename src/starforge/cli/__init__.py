"""The command ``sf``: one module a command group, imported when it is used."""
