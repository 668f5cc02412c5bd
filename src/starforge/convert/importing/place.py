"""Put the settings of a launch into an experiment: parameters by name, the rest natively."""

from __future__ import annotations

from typing import Any

import msgspec

from starforge.catalog.join import out_of_range
from starforge.catalog.models import ContractConfig, ContractKey, Parameter, Pin, Recipe
from starforge.catalog.types import accepts_key, describe, parse_type
from starforge.convert.importing.model import Kind, Note, Setting, Upstream
from starforge.convert.shell.scope import readable, unknown_in
from starforge.findings import nearest
from starforge.i18n import Text
from starforge.lab.assign import takes_mapping
from starforge.lab.interpolation import is_interpolation, missing_references
from starforge.lab.resolve import same
from starforge.lab.scalars import plain_value
from starforge.lab.values import given, shown

_EQUAL = Text("StarForge sets exactly this itself", "StarForge 自己就会这样设置")
_NEVER_READ = Text("upstream never reads it", "上游从不读取它")


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters by canonical name, native keys by path, and what became of the rest."""

    params: dict[str, Any]
    config: dict[str, Any]
    notes: list[Note]


def place(upstream: Upstream, recipe: Recipe, config: ContractConfig) -> Placed:
    """Return where every setting goes; each one is either placed or has a note."""
    return _Placer(upstream, recipe, config).run()


class _Placer:
    def __init__(self, upstream: Upstream, recipe: Recipe, config: ContractConfig) -> None:
        self.upstream = upstream
        self.recipe = recipe
        self.config = config
        self.notes: list[Note] = []
        self.values: dict[str, Any] = {}
        self.parameters = {one.path: one for one in recipe.parameters}
        self.pins = {one.path: one for one in recipe.pins}
        self.renamed = {one.old: one for one in recipe.renamed}

    def run(self) -> Placed:
        for setting in self._flat():
            self._one(setting)
        params: dict[str, Any] = {}
        native: dict[str, Any] = {}
        for path, value in self.values.items():
            parameter = self.parameters.get(path)
            start = parameter.default if parameter else self._default(path)
            if same(value, start) and path.partition(".")[0] not in self.upstream.sections:
                continue
            if parameter is not None:
                params[parameter.name] = value
            else:
                native[path] = value
        params |= self._upstream_defaults()
        ordered = [one.name for one in self.recipe.parameters if one.name in params]
        return Placed(params={name: params[name] for name in ordered},
                      config=dict(sorted(native.items())), notes=self.notes)  # fmt: skip

    def _flat(self) -> list[Setting]:
        """Return the settings, mappings cut where parameters or pins lie inside them."""
        inner = [*self.parameters, *self.pins]
        made: list[Setting] = []

        def cut(setting: Setting) -> None:
            path = f"{setting.path}."
            holds = isinstance(setting.value, dict) and any(p.startswith(path) for p in inner)
            if not holds:
                made.append(setting)
                return
            for name, value in setting.value.items():
                cut(msgspec.structs.replace(setting, path=path + str(name), value=value,
                                            name=""))  # fmt: skip

        for setting in self.upstream.settings:
            cut(setting)
        return made

    def _one(self, setting: Setting) -> None:
        upstream = self.upstream
        if setting.path in upstream.taken:
            return
        moot = next((why for prefix, why in upstream.moot.items()
                     if f"{setting.path}.".startswith(f"{prefix}.")), None)  # fmt: skip
        if moot is not None:
            self._note("dropped", setting, moot)
            return
        setting = self._under_its_name(setting)
        pin = self._pin(setting.path)
        if pin is not None:
            self._pinned(setting, pin)
            return
        if any(f"{setting.path}.".startswith(f"{one.path}.") for one in self.recipe.ignored):
            why = next(one.note for one in self.recipe.ignored
                       if f"{setting.path}.".startswith(f"{one.path}."))  # fmt: skip
            self._note("dropped", setting, Text(f"{_NEVER_READ.en}: {why.en}",
                                                f"{_NEVER_READ.zh}：{why.zh}"))  # fmt: skip
            return
        self._value(setting)

    def _under_its_name(self, setting: Setting) -> Setting:
        """Follow a renaming; the note says so."""
        renamed = self.renamed.get(setting.path)
        if renamed is None or renamed.new is None or setting.path in self.config.keys:
            return setting
        why = Text(f"called `{renamed.new}` in {self.recipe.pin}",
                   f"在 {self.recipe.pin} 中名为 `{renamed.new}`")  # fmt: skip
        self._note("changed", setting, why)
        return msgspec.structs.replace(setting, path=renamed.new)

    def _pin(self, path: str) -> Pin | None:
        parts = path.split(".")
        prefixes = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
        return next((self.pins[p] for p in prefixes if p in self.pins), None)

    def _pinned(self, setting: Setting, pin: Pin) -> None:
        expected = self._default(pin.path) if pin.keep else pin.value
        if same(self._meant(setting, self._key(setting.path)), expected):
            self._note("dropped", setting, _EQUAL)
        else:
            self._note("lost", setting, pin.reason)

    def _value(self, setting: Setting) -> None:
        unknown = unknown_in(setting.value) if isinstance(setting.value, str) else None
        key = self._key(setting.path)
        if unknown is not None:
            plain = msgspec.structs.replace(setting, value=readable(setting.value))
            self._note("lost", plain, _only_running(unknown))
            return
        if key is None:
            self._note("lost", setting, self._no_such_key(setting))
            return
        if self.config.dialect != "plain" and is_interpolation(setting.value):
            self._interpolated(setting)
            return
        value = self._meant(setting, key)
        ok, value = accepts_key(key, value)
        why = self._not_allowed(setting.path, key, value) if ok else _wrong_type(key, value)
        if why is not None:
            self._note("lost", setting, why)
        else:
            self.values[setting.path] = value

    def _interpolated(self, setting: Setting) -> None:
        missing = missing_references(setting.value, self.config)
        if missing:
            self._note("lost", setting, Text(f"there is no `{missing[0]}` to refer to",
                                             f"它引用的 `{missing[0]}` 不存在"))  # fmt: skip
        else:
            self.values[setting.path] = setting.value

    def _not_allowed(self, path: str, key: ContractKey, value: Any) -> Text | None:
        parameter = self.parameters.get(path)
        choices = (parameter.choices if parameter else None) or key.choices
        items = value if isinstance(value, list) else [value]
        if choices and value is not None and any(item not in choices for item in items):
            listed = ", ".join(shown(choice) for choice in choices)
            return Text(f"{self.recipe.name} takes one of {listed}",
                        f"{self.recipe.name} 只接受：{listed}")  # fmt: skip
        allowed = out_of_range(parameter, value) if parameter else None
        return None if allowed is None else Text(f"must be {allowed}", f"取值须 {allowed}")

    def _key(self, path: str) -> ContractKey | None:
        """Return the contract's key, the parameter's, or an open one inside a mapping."""
        if path in self.config.keys:
            return self.config.keys[path]
        if path in self.parameters:
            return ContractKey(type=self.parameters[path].type)
        parent = path.rpartition(".")[0]
        while parent:
            key = self.config.keys.get(parent)
            if key is not None and takes_mapping(parse_type(key.type)):
                return ContractKey(type="Any")
            parent = parent.rpartition(".")[0]
        return None

    def _default(self, path: str) -> Any:
        key = self.config.keys.get(path)
        return key.default if key else None

    def _meant(self, setting: Setting, key: ContractKey | None) -> Any:
        """Return a value as its type has it; words of a command line carry no type."""
        value = setting.value
        if setting.text and key is not None:
            value = _typed(value, key)
        parameter = self.parameters.get(setting.path)
        if parameter is not None and isinstance(value, str):
            words = {word.casefold(): meant for word, meant in parameter.aliases.items()}
            return words.get(value.casefold(), value)
        return value

    def _upstream_defaults(self) -> dict[str, Any]:
        """Return what the launch left to upstream where the recipe has another default."""
        made: dict[str, Any] = {}
        for one in self.recipe.parameters:
            key = self.config.keys.get(one.path)
            settled = one.path in self.values or one.path in self.upstream.taken
            if settled or key is None or key.added or one.name in self.upstream.leave:
                continue
            if same(one.default, key.default) or one.path in self.pins:
                continue
            ok, value = accepts_key(key, key.default)
            if is_interpolation(key.default) and self.config.dialect != "plain":
                made[one.name] = key.default
            elif ok and self._not_allowed(one.path, key, value) is None:
                made[one.name] = value
            elif key.default is not None:
                self.notes.append(_kept_default(one, key))
        return made

    def _no_such_key(self, setting: Setting) -> Text:
        near = nearest(setting.path, self.config.keys, 1)
        renamed = self.renamed.get(setting.path)
        if renamed is not None and renamed.note is not None:
            return renamed.note
        hint_en, hint_zh = (
            (f"; near is `{near[0]}`", f"；相近的有 `{near[0]}`") if near else ("", "")
        )
        return Text(f"{self.recipe.pin} has no such key{hint_en}",
                    f"{self.recipe.pin} 没有这个键{hint_zh}")  # fmt: skip

    def _note(self, kind: Kind, setting: Setting, why: Text) -> None:
        self.notes.append(Note(kind=kind, what=setting.shown, why=why, line=setting.line))


def _only_running(unknown: str) -> Text:
    return Text(f"only running the script tells `{unknown}`: give --run",
                f"`{unknown}` 要运行脚本才知道：请加 --run")  # fmt: skip


def _wrong_type(key: ContractKey, value: Any) -> Text:
    wanted, found = describe(key.type), given(value)
    return Text(f"must be {wanted.en}, not {found.en}", f"应为{wanted.zh}，而不是{found.zh}")


def _typed(value: Any, key: ContractKey) -> Any:
    """Turn a word, or words, into what the key's type asks for; unchanged when nothing fits."""
    if isinstance(value, list):
        plain: Any = [_plain(item) for item in value]
        if accepts_key(key, plain)[0]:
            return plain
        if accepts_key(key, value)[0]:
            return value
        return _typed(value[0], key) if len(value) == 1 else value
    if not isinstance(value, str):
        return value
    for candidate in (_plain(value), value, [_plain(value)], [value]):
        if accepts_key(key, candidate)[0]:
            return candidate
    return value


def _plain(word: str) -> Any:
    try:
        return plain_value(word)
    except ValueError:
        return word


def _kept_default(parameter: Parameter, key: ContractKey) -> Note:
    return Note(
        kind="changed", what=f"{parameter.name}={shown(parameter.default)}",
        why=Text(f"upstream's default {shown(key.default)} can't be written; StarForge's stays",
                 f"无法写入上游的默认值 {shown(key.default)}，保留 StarForge 的默认值"),
    )  # fmt: skip
