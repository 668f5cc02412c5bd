"""Read shell scripts without running them: which commands they come to, with which words."""

from starforge.convert.shell.reader import Arg, Command, Reading, read_script

__all__ = ["Arg", "Command", "Reading", "read_script"]
