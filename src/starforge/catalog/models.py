"""What the catalog says: contracts of pinned frameworks and recipes of methods."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from starforge.i18n import Text

DataKind = Literal[
    "instruction",  # prompt and answer, or conversations: sft
    "preference",  # chosen and rejected answers: dpo, rm
    "binary",  # an answer and a good/bad label: kto
    "verifiable",  # prompts with a checkable answer: grpo and its family
    "prompts",  # prompts alone, answered by a teacher: distillation
    "none",  # no training data: benchmark, custom
]
Group = Literal[
    "duration",
    "batch",
    "optimizer",
    "schedule",
    "loss",
    "rollout",
    "data",
    "lora",
    "parallelism",
    "memory",
    "precision",
    "validation",
    "saving",
    "logging",
    "run",
]
Launcher = Literal["python", "torchrun", "shell"]
Need = Literal["required", "optional", "none"]
Dialect = Literal["plain", "hydra", "omegaconf"]


class ContractKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """One key a pinned framework accepts, as extracted from that very package.

    ``added`` marks a key that upstream's own configuration file does not hold although its
    code reads it: Hydra wants it with a ``+`` (the plan writes that), a YAML file as it is.
    """

    type: str
    default: Any = None
    choices: list[Any] | None = None
    section: str | None = None
    required: bool = False
    added: bool = False


class ContractConfig(msgspec.Struct, frozen=True, omit_defaults=True):
    """All keys of one configuration (one entry point) of a framework.

    ``open`` marks a configuration that takes any further key (``custom/custom``).
    ``dialect`` says what values may hold besides plain YAML: ``hydra`` and ``omegaconf``
    know ``${interpolation}``, and ``omegaconf`` files ``defaults:`` and ``_override_``.
    ``base`` is upstream's file of defaults, where there is one, as a path in its repository.
    """

    keys: dict[str, ContractKey]
    open: bool = False
    dialect: Dialect = "plain"
    base: str | None = None


class Contract(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything ``framework@version`` accepts; ``packages`` pins what it was read from."""

    framework: str
    version: str
    configs: dict[str, ContractConfig]
    packages: dict[str, str] = {}

    @property
    def pin(self) -> str:
        """``framework@version``."""
        return f"{self.framework}@{self.version}"


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A setting the recipe owns. ``value`` may hold ``${PLACEHOLDER}``s of a plan.

    With ``keep: true`` upstream's default is itself the pin, and ``value`` is that default.
    """

    path: str
    reason: Text
    value: Any = None
    keep: bool = False


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A published parameter: a canonical name for an upstream path.

    Loaded form: texts, type and upstream default are already joined in from the glossary
    and the contract (see ``catalog.load``). ``default`` is the recipe's effective default;
    ``upstream_default`` the contract's; ``why_default`` says why they differ. ``aliases``
    are other words that people write for a value, and upstream's word for it. ``example``
    is a usual value where type and choices don't suggest one.
    """

    name: str
    path: str
    type: str
    group: Group
    description: Text
    advice: Text | None = None
    default: Any = None
    upstream_default: Any = None
    why_default: Text | None = None
    choices: list[Any] | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    unit: str | None = None
    advanced: bool = False
    aliases: dict[str, Any] = {}
    example: Any = None


class PresetOption(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One choice of a preset: what it means, and the value of each native path it sets."""

    description: Text
    values: dict[str, Any]


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A published name that sets several native keys at once (``rollout_correction: tis``).

    Parameters and native keys that the user sets themselves win over a preset.
    """

    name: str
    group: Group
    description: Text
    options: dict[str, PresetOption]
    advice: Text | None = None


class Ignored(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A key that upstream accepts and never reads: setting it is an error.

    ``path`` covers all keys below it. ``new`` is the key that works, if there is one.
    """

    path: str
    note: Text
    new: str | None = None


class Renamed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An upstream key of other versions that people still write, and its name today.

    When the pinned version still takes ``old`` it is deprecated (a warning), otherwise it
    is refused. ``new`` is ``None`` when nothing replaces it; ``note`` says what to do.
    """

    old: str
    new: str | None = None
    note: Text | None = None


class Metric(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A key metric: canonical name, upstream names it comes from, and which way is good.

    What a recipe does not say comes from ``metrics.yaml``, by name. ``unit`` is a plain word
    such as ``tokens``; ``None`` for a bare number.
    """

    name: str
    native: list[str]
    description: Text
    goal: Literal["lower", "higher", "watch"] = "watch"
    primary: bool = False
    title: Text | None = None
    unit: str | None = None


class Role(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A group of processes of a method (``trainer``, ``rollout``, ``teacher``).

    Roles of the same ``pool`` share its devices; ``optional`` ones are there only when the
    experiment asks for them.
    """

    name: str
    description: Text
    pool: str = "default"
    optional: bool = False


class DataSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What data a method takes. ``shapes`` are alternative sets of required columns."""

    kind: DataKind
    shapes: list[list[str]] = []
    train: Need = "required"
    validation: Need = "optional"
    test: Need = "none"
    example: list[dict[str, Any]] = []


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a method starts: a driver file of ours, or an upstream module."""

    launcher: Launcher
    driver: str | None = None
    module: str | None = None


class Checkpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where checkpoints lie (glob relative to the job folder), and their format."""

    format: str
    pattern: str
    final: str | None = None
    resumable: bool = True


class Hardware(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The least a method needs; ``text`` says what is usual for a real model."""

    cpus: int = 1
    memory_gb: float = 2
    gpus: int = 0
    text: Text


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A paper or an upstream page."""

    title: str
    url: str


class Scaffold(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What ``sf new`` fills in so that an experiment starts as created, on a laptop's CPU.

    ``files`` are copied from the folder beside the recipe file (``<method>/``); a file with
    ``.zh`` before its suffix is taken instead when the language is Chinese. ``suggest``
    names the parameters shown as comments. ``reward`` is one of ``files``.
    """

    model: str | None = None
    teacher: str | None = None
    reward: str | None = None
    resources: str | None = None
    params: dict[str, Any] = {}
    config: dict[str, Any] = {}
    suggest: list[str] = []
    files: list[str] = []
    rows: int = 8


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The declaration of a method, joined with its contract.

    ``model``, ``teacher`` and ``reward`` say which inputs besides data it takes: the model
    to train, a second model to learn from, a reward function or reward model.
    ``same_as`` names methods of other frameworks that are the same algorithm.
    """

    name: str
    framework: str
    version: str
    config: str
    algorithm: str
    title: Text
    summary: Text
    use_when: Text
    avoid_when: Text
    data: DataSpec
    roles: list[Role]
    entry: Entry
    runtime: str
    model: Need = "required"
    teacher: Need = "none"
    reward: Need = "none"
    same_as: list[str] = []
    pins: list[Pin] = []
    parameters: list[Parameter] = []
    presets: list[Preset] = []
    renamed: list[Renamed] = []
    ignored: list[Ignored] = []
    metrics: list[Metric] = []
    checkpoint: Checkpoint | None = None
    stages: list[str] = []
    minimum: Hardware
    links: list[Link] = []
    scaffold: Scaffold = Scaffold()
    digest: str = ""

    @property
    def pin(self) -> str:
        """``framework@version``."""
        return f"{self.framework}@{self.version}"

    def parameter(self, name: str) -> Parameter | None:
        """Return the published parameter called ``name``, if any."""
        return next((p for p in self.parameters if p.name == name), None)

    def preset(self, name: str) -> Preset | None:
        """Return the preset called ``name``, if any."""
        return next((p for p in self.presets if p.name == name), None)
