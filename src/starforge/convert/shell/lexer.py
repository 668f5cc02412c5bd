"""Cut a shell script into words and operators. Words keep their quotes and expansions."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;;|;&|;|&(?!>)|\||\(|\)")
_REDIRECT = re.compile(r"\d*(?:<<<|<<-|<<|>>|>\||>&|<&|<>|<|>)|&>>|&>")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_CLOSING = {"(": ")", "{": "}"}


class Token(msgspec.Struct, frozen=True):
    """A word, an operator, a redirection (``text`` holds its target) or the end of a line.

    ``body`` is the text of a here-document; ``literal`` says that nothing in it expands.
    """

    kind: Literal["word", "op", "redirect", "newline"]
    text: str
    line: int
    body: str | None = None
    literal: bool = False


class UnclosedError(ValueError):
    """A quote or bracket that never ends; ``line`` is where it begins."""

    def __init__(self, line: int, opening: str) -> None:
        super().__init__(f"line {line}: `{opening}` is never closed")
        self.line = line
        self.opening = opening


def lex(text: str) -> list[Token]:
    """Return the tokens of a script. Raises :class:`UnclosedError`."""
    return _Lexer(text).tokens()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.at = 0
        self.line = 1
        self.found: list[Token] = []
        self.waiting: list[int] = []  # here-documents whose text comes after this line

    def tokens(self) -> list[Token]:
        while self.at < len(self.text):
            self._next()
        return self.found

    def _next(self) -> None:
        letter = self.text[self.at]
        if letter == "\n":
            self._newline()
        elif letter in " \t":
            self.at += 1
        elif self.text.startswith("\\\n", self.at):
            self.at += 2
            self.line += 1
        elif letter == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif match := _REDIRECT.match(self.text, self.at):
            self._redirect(match[0])
        elif self._is_process(letter):
            self._word()
        elif match := _OPERATOR.match(self.text, self.at):
            self.found.append(Token("op", match[0], self.line))
            self.at = match.end()
        else:
            self._word()

    def _is_process(self, letter: str) -> bool:
        return letter == "(" and self.text.startswith("((", self.at)

    def _newline(self) -> None:
        self.found.append(Token("newline", "\n", self.line))
        self.at += 1
        self.line += 1
        for index in self.waiting:
            self._here_document(index)
        self.waiting = []

    def _here_document(self, index: int) -> None:
        token = self.found[index]
        strip = token.literal  # `<<-`, noted there until the text is read
        end = token.text.replace("'", "").replace('"', "").replace("\\", "")
        lines: list[str] = []
        while self.at < len(self.text):
            stop = self.text.find("\n", self.at)
            stop = len(self.text) if stop < 0 else stop
            line = self.text[self.at : stop]
            self.at = stop + 1
            self.line += 1
            line = line.lstrip("\t") if strip else line
            if line == end:
                break
            lines.append(line + "\n")
        quoted = end != token.text
        self.found[index] = Token("redirect", "<<", token.line, "".join(lines), quoted)

    def _redirect(self, sign: str) -> None:
        line = self.line
        self.at += len(sign)
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1
        target = self._raw_word()
        if sign in ("<<", "<<-"):
            self.waiting.append(len(self.found))
            self.found.append(Token("redirect", target, line, literal=sign == "<<-"))
        elif sign == "<<<":
            self.found.append(Token("redirect", "<<<", line, body=target))
        else:
            self.found.append(Token("redirect", f"{sign}{target}", line))

    def _word(self) -> None:
        line = self.line
        self.found.append(Token("word", self._raw_word(), line))

    def _raw_word(self) -> str:
        start = self.at
        if self.text.startswith("((", self.at):
            self._skip_nested("(")
            return self.text[start : self.at]
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == "(" and _ASSIGNMENT.fullmatch(self.text[start : self.at]):
                self._skip_nested("(")
                break
            if letter in " \t\n;&|()<>":
                break
            self._skip_piece()
        return self.text[start : self.at].replace("\\\n", "")

    def _skip_piece(self) -> None:
        """Go past one letter, quoted text or expansion."""
        letter = self.text[self.at]
        if letter == "\\":
            self._count(self.text[self.at : self.at + 2])
        elif letter == "'":
            self._skip_until("'")
        elif letter == '"':
            self._skip_double()
        elif letter == "`":
            self._skip_until("`")
        elif letter == "$" and self.text[self.at + 1 : self.at + 2] in ("(", "{"):
            self.at += 1
            self._skip_nested(self.text[self.at])
        elif letter == "$" and self.text[self.at + 1 : self.at + 2] == "'":
            self.at += 1
            self._skip_until("'")
        else:
            self._count(letter)

    def _count(self, passed: str) -> None:
        self.line += passed.count("\n")
        self.at += len(passed)

    def _skip_until(self, closing: str) -> None:
        end = self.text.find(closing, self.at + 1)
        if end < 0:
            raise UnclosedError(self.line, closing)
        self._count(self.text[self.at : end + 1])

    def _skip_double(self) -> None:
        begun = self.line
        self._count('"')
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == '"':
                self.at += 1
                return
            if letter == "'":  # a plain letter in here
                self._count(letter)
            else:
                self._skip_piece()
        raise UnclosedError(begun, '"')

    def _skip_nested(self, opening: str) -> None:
        begun, depth = self.line, 0
        closing = _CLOSING[opening]
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == opening:
                depth += 1
            elif letter == closing:
                depth -= 1
                if depth == 0:
                    self.at += 1
                    return
            elif letter == "#" and opening == "(" and self.text[self.at - 1] in " \t\n":
                end = self.text.find("\n", self.at)  # a comment inside an array
                self.at = len(self.text) if end < 0 else end
                continue
            elif letter in "\\'\"`$":
                self._skip_piece()
                continue
            self._count(letter)
        raise UnclosedError(begun, opening)
