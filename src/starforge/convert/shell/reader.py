"""Follow a script without running it: assignments, conditions that can be decided, commands."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from starforge.convert.shell.expand import expand, expand_one, here_document
from starforge.convert.shell.lexer import Token, lex
from starforge.convert.shell.scope import Scope
from starforge.convert.shell.test import decide

_ASSIGN = re.compile(r"([A-Za-z_]\w*)(?:\[([^\]]*)\])?(\+?)=(.*)", re.DOTALL)
_DECLARE = frozenset({"export", "declare", "local", "readonly", "typeset"})
_SILENT = frozenset({"set", "shopt", "echo", "printf", "true", ":", "ulimit", "wait", "trap"})
_ENDS = {
    "if": "fi",
    "for": "done",
    "while": "done",
    "until": "done",
    "case": "esac",
    "select": "done",
}
_SEPARATORS = frozenset({";", "&", "&&", "||", "|", "|&", ";;"})


class Arg(msgspec.Struct, frozen=True):
    """One word of a command, and the line it stands on (0 when it was given directly)."""

    text: str
    line: int = 0


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command that the script comes to. ``env`` is what it is given besides the shell's own."""

    args: list[Arg]
    folder: Path
    env: dict[str, str] = {}

    @property
    def line(self) -> int:
        """The line the command begins on."""
        return self.args[0].line if self.args else 0


class Skipped(msgspec.Struct, frozen=True):
    """A part that was not followed, since only running it tells what it does."""

    kind: str
    line: int
    text: str


class Reading(msgspec.Struct, kw_only=True):
    """What reading a script came to.

    ``from_outside`` are variables taken from the environment, ``unset`` ones that nothing
    sets (they count as empty).
    """

    commands: list[Command] = []
    skipped: list[Skipped] = []
    exported: dict[str, str] = {}
    from_outside: set[str] = set()
    unset: set[str] = set()


def read_script(
    text: str,
    folder: Path,
    *,
    script: str = "script",
    arguments: list[str] | None = None,
    environment: dict[str, str] | None = None,
) -> Reading:
    """Return the commands of a script that would run in ``folder``.

    Raises :class:`~starforge.convert.shell.lexer.UnclosedError` for a script that no shell
    could read either.
    """
    scope = Scope(folder=folder, script=script, arguments=list(arguments or []),
                  outside=dict(environment or {}))  # fmt: skip
    follower = _Follower(lex(text), scope)
    follower.block(frozenset(), active=True)
    follower.reading.from_outside = scope.from_outside
    follower.reading.unset = scope.unset
    return follower.reading


class _Follower:
    def __init__(self, tokens: list[Token], scope: Scope) -> None:
        self.tokens = tokens
        self.scope = scope
        self.at = 0
        self.stopped = False
        self.reading = Reading()

    def block(self, until: frozenset[str], *, active: bool) -> str:
        """Go through statements up to one of the words in ``until``; return that word."""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind in ("word", "op") and token.text in until:
                self.at += 1
                return token.text
            if token.kind == "newline" or (token.kind == "op" and token.text in _SEPARATORS):
                self.at += 1
                continue
            self._pipeline(active=active and not self.stopped)
        return ""

    def _pipeline(self, *, active: bool) -> None:
        """Go through commands joined by ``&&``, ``||`` and pipes."""
        status = self._statement(active=active)
        while self.at < len(self.tokens) and self.tokens[self.at].text in ("&&", "||", "|", "|&"):
            sign = self.tokens[self.at].text
            self.at += 1
            while self.at < len(self.tokens) and self.tokens[self.at].kind == "newline":
                self.at += 1
            if sign in ("|", "|&"):
                self._statement(active=False)
                continue
            wanted = status is not False if sign == "&&" else status is False
            after = self._statement(active=active and wanted)
            status = after if wanted else status

    def _statement(self, *, active: bool) -> bool | None:  # noqa: PLR0911 - one a form
        if self.at >= len(self.tokens):
            return None
        token = self.tokens[self.at]
        if token.kind == "op" and token.text == "(":
            self.at += 1
            self.block(frozenset({")"}), active=active)
            return True
        if token.kind == "word":
            if token.text == "{":
                self.at += 1
                self.block(frozenset({"}"}), active=active)
                return True
            if token.text == "if":
                self._if(active=active)
                return True
            if token.text in _ENDS:
                self._skip_compound(token, active=active)
                return None
            if token.text == "function" or self._is_function():
                self._skip_function(token)
                return True
        return self._simple(active=active)

    def _is_function(self) -> bool:
        following = [one.text for one in self.tokens[self.at + 1 : self.at + 3]]
        return following == ["(", ")"]

    def _skip_function(self, token: Token) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at].text != "{":
            self.at += 1
        self.at += 1
        start = self.at
        self.block(frozenset({"}"}), active=False)
        self._skip("function", token, start)

    def _skip_compound(self, token: Token, *, active: bool) -> None:
        start, depth = self.at, 0
        while self.at < len(self.tokens):
            word = self.tokens[self.at]
            if word.kind == "word" and word.text in _ENDS:
                depth += 1
            elif word.kind == "word" and word.text in _ENDS.values():
                depth -= 1
            self.at += 1
            if depth == 0:
                break
        if active:
            self._skip(token.text, token, start)

    def _skip(self, kind: str, token: Token, start: int) -> None:
        text = " ".join(one.text for one in self.tokens[start : self.at])
        self.reading.skipped.append(Skipped(kind, token.line, text))

    def _if(self, *, active: bool) -> None:
        """Follow the branch whose condition holds; none when one can't be decided."""
        undecided, done = False, not active
        first, start = self.tokens[self.at], self.at
        word = self.tokens[self.at].text
        while word in ("if", "elif"):
            self.at += word == "if"
            held = self._condition(active=active and not done and not undecided)
            undecided |= not done and held is None
            word = self.block(frozenset({"elif", "else", "fi"}),
                              active=bool(held) and not done and not undecided)  # fmt: skip
            done |= bool(held) and not undecided
        if word == "else":
            self.block(frozenset({"fi"}), active=not done and not undecided)
        if active and undecided:
            self._skip("if", first, start)

    def _condition(self, *, active: bool) -> bool | None:
        """Read up to ``then`` and decide; ``None`` when it takes running something."""
        words: list[Token] = []
        while self.at < len(self.tokens) and self.tokens[self.at].text != "then":
            words.append(self.tokens[self.at])
            self.at += 1
        self.at += 1
        while words and (words[-1].kind == "newline" or words[-1].text == ";"):
            words.pop()
        return decide(words, self.scope) if active else None

    def _simple(self, *, active: bool) -> bool | None:
        words: list[Token] = []
        body: Token | None = None
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "redirect":
                body = token if token.body is not None else body
            elif token.kind != "word":
                break
            else:
                words.append(token)
            self.at += 1
        if self.at < len(self.tokens) and self.tokens[self.at].text in ("(", ")") and not words:
            self.at += 1  # a bracket that belongs to nothing: go on rather than stand still
        return self._run(words, body) if active and words else None

    def _run(self, words: list[Token], body: Token | None) -> bool | None:
        own: dict[str, str] = {}
        while words and (match := _ASSIGN.fullmatch(words[0].text)):
            if len(words) == 1 or _ASSIGN.fullmatch(words[1].text) or match[4].startswith("("):
                self._assign(match)
                if all(_ASSIGN.fullmatch(one.text) for one in words):
                    words = words[1:]
                    continue
            own[match[1]] = self.scope.values.get(match[1]) or expand_one(match[4], self.scope)
            words = words[1:]
        if not words:
            return True
        name = words[0].text
        if name in ("[", "[[", "test"):
            return decide(words, self.scope)
        if name in _DECLARE:
            self._declare(words)
            return True
        args = [Arg(text, one.line) for one in words for text in expand(one.text, self.scope)]
        return self._builtin(args, body, own) if args else True

    def _builtin(self, args: list[Arg], body: Token | None, own: dict[str, str]) -> bool | None:
        name, rest = args[0].text, [one.text for one in args[1:]]
        match name:
            case "cd":
                self.scope.folder = self.scope.folder / (rest[0] if rest else "~")
            case "exit" | "return":
                self.stopped = True
            case "read":
                self._read(rest, body)
            case "eval":
                inner = _Follower(lex(" ".join(rest)), self.scope)
                inner.reading = self.reading
                inner.block(frozenset(), active=True)
            case "unset":
                for one in rest:
                    self.scope.values.pop(one, None)
                    self.scope.arrays.pop(one, None)
            case "shift":
                self.scope.arguments = self.scope.arguments[int(rest[0]) if rest else 1 :]
            case "source" | ".":
                self.reading.skipped.append(Skipped("source", args[0].line, " ".join(rest)))
            case _ if name not in _SILENT:
                args = args[1:] if name == "exec" and len(args) > 1 else args
                self.reading.commands.append(Command(args=args, folder=self.scope.folder, env=own))
        return True

    def _assign(self, match: re.Match[str]) -> None:
        name, index, plus, raw = match.groups()
        if raw.startswith("(") and raw.endswith(")"):
            items = [
                text
                for token in lex(raw[1:-1])
                if token.kind == "word"
                for text in expand(token.text, self.scope)
            ]
            before = self.scope.arrays.get(name, []) if plus else []
            self.scope.arrays[name] = before + items
            self.scope.values.pop(name, None)
            return
        value = expand_one(raw, self.scope)
        if index:
            self.scope.arrays[name] = [*self.scope.arrays.get(name, []), value]
            return
        self.scope.values[name] = (self.scope.get(name) or "") + value if plus else value
        if name in self.reading.exported:
            self.reading.exported[name] = self.scope.values[name]

    def _declare(self, words: list[Token]) -> None:
        for one in words[1:]:
            match = _ASSIGN.fullmatch(one.text)
            if match:
                self._assign(match)
            name = match[1] if match else one.text
            if words[0].text == "export" and not name.startswith("-"):
                self.reading.exported[name] = self.scope.get(name) or ""

    def _read(self, rest: list[str], body: Token | None) -> None:
        """``read -r -d '' NAME <<EOF``: how some scripts write a long command."""
        names = [one for one in rest if one and not one.startswith("-")]
        if body is None or body.body is None or not names:
            return
        text = body.body if body.literal else here_document(body.body, self.scope)
        self.scope.values[names[-1]] = text.replace("\\\n", " ").strip()
