"""A smoke run from an experiment's folder to its report."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from starforge import layout
from starforge.catalog.load import Catalog
from starforge.checks.tokens import meter_of
from starforge.engines.base import Launch
from starforge.engines.local.devices import count_cpus, find_gpus
from starforge.errors import StarForgeError
from starforge.home import starforge_home
from starforge.i18n import Text, current_lang
from starforge.lab.context import PrepareContext
from starforge.lab.templates import to_yaml
from starforge.plan import LaunchPlan
from starforge.prepare import Prepared, prepare
from starforge.smoke import judge, reading, standin
from starforge.smoke.execute import execute, read_json
from starforge.smoke.inputs import SmokeResolver, choose_rows, taken
from starforge.smoke.job import fill, interpreter
from starforge.smoke.lengths import lengths_for
from starforge.smoke.looking import folders_here, settings_that_arrive
from starforge.smoke.report import Change, Seen, SmokeReport, left_open, proved_by
from starforge.smoke.shrink import Lengths, Shrunk, shrink
from starforge.smoke.workplace import workplace

TIMEOUT = 900.0
TRIED = 4  # rows that the checks try a reward on
THEIRS = ("data/", "model/", "reward/")  # findings about what is taken from the author as it is
Say = Callable[[Text], None]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller wishes: ``timeout`` in seconds, a tiny ``model`` of one's own."""

    sets: Sequence[str] = ()
    model: Path | None = None
    keep: bool = False
    timeout: float = TIMEOUT
    catalog: Catalog | None = None
    catalog_folder: Path | None = None


def smoke(prepared: Prepared, options: Options, say: Say) -> SmokeReport:
    """Try a prepared experiment (without errors) and say what came of it.

    ``say`` gets a line on every stage. Nothing stays on the machine, unless ``keep``. Raises
    :class:`StarForgeError` when it can't be tried at all.
    """
    assert prepared.context is not None and prepared.plan is not None
    with workplace(keep=options.keep) as work:
        report = _Smoke(prepared.context, prepared.plan, options, say, work).run()
        return msgspec.structs.replace(report, folder=str(work) if options.keep else None)


class _Smoke:
    """One smoke run inside ``work``."""

    def __init__(
        self, context: PrepareContext, plan: LaunchPlan, options: Options, say: Say, work: Path
    ) -> None:
        self.context = context
        self.own_plan = plan
        self.options = options
        self.say = say
        self.work = work
        self.began = time.monotonic()
        self.home = starforge_home()
        self.shown: set[int] = set()

    def run(self) -> SmokeReport:
        mode = shrink(self.context, Lengths(tokens=0)).mode
        python = None
        if mode in ("train", "score"):
            folder = self.options.catalog_folder or self.home / "catalog"
            python = interpreter(self.own_plan, self.home, folder)
        models = self._models(python) if python is not None else []
        small = self._shrink(models)
        tried = self._prepare(small, models)
        report = SmokeReport(
            ok=True, method=self.context.recipe.name, mode=small.mode, seconds=0.0,
            models=models, rows=self.chosen, changes=self._changes(small),
        )  # fmt: skip
        if small.mode == "look":
            return self._looked(small, tried, report)
        if tried.plan is None:
            return self._finished(small, report, Seen(), _found(tried))
        return self._started(small, tried, report, python)

    def _models(self, python: str | None) -> list[standin.StandIn]:
        """Make a stand-in of every model; the one that is trained comes first."""
        trust = self.context.parameter("trust_remote_code") is True
        maker = standin.Maker(self.work, python or "", trust=trust)
        made: list[standin.StandIn] = []
        for ref in self.context.models:
            if ref.name == "model" and self.options.model is not None:
                made.append(standin.given(ref, self.options.model))
                continue
            if standin.source_of(ref) is not None:
                self.say(Text(f"making a tiny stand-in of {ref.location}",
                              f"正在为 {ref.location} 制作微型替身"))  # fmt: skip
            like = made[0] if made and ref.name != "model" else None
            made.append(maker.make(ref, like))
        return made

    def _shrink(self, models: list[standin.StandIn]) -> Shrunk:
        trained = next((one for one in models if one.role == "model"), None)
        if trained is None:
            return shrink(self.context, lengths_for(None, None, exact=True))
        lengths = lengths_for(trained.vocabulary, trained.context, exact=trained.exact)
        return shrink(self.context, lengths)

    def _prepare(self, small: Shrunk, models: list[standin.StandIn]) -> Prepared:
        """Prepare the small experiment as any other.

        What the checks say of its rows and models is the author's to mend, since these are
        theirs; any other error would be ours.
        """
        sources, self.chosen = choose_rows(self.context, small, self.work / "rows")
        replaced = {one.role: one.ref() for one in models}
        if small.mode == "look":
            replaced = folders_here(self.context)
        resolver = SmokeResolver(self.context, replaced, sources)
        profile = self.context.resources.profile
        if small.mode in ("train", "score"):
            least = self.context.recipe.minimum.cpus
            profile = f"cpu:{max(least, min(4, count_cpus()))}"
        tried = prepare(
            self.context.experiment.folder, sets=self._sets(small), profile=profile,
            resolver=resolver, catalog=self.options.catalog,
        )  # fmt: skip
        wrong = [one for one in tried.findings if one.severity == "error"]
        ours = [one for one in wrong if not one.code.startswith(THEIRS)]
        if small.mode != "look" and ours:
            first = ours[0]
            raise StarForgeError(
                "smoke/not-small",
                Text(f"the experiment does not hold together when made small: "
                     f"{first.message.en} ({first.code})",
                     f"实验缩小后不再自洽：{first.message.zh}（{first.code}）"),
                first.hint,
            )  # fmt: skip
        return tried

    def _sets(self, small: Shrunk) -> list[str]:
        """Return ``--set`` of the author and then ours, where both mean the same key once."""
        ours = {self._path(name) for name in small.sets}
        kept = [one for one in self.options.sets if self._path(one.partition("=")[0]) not in ours]
        return kept + [f"{name}={_written(value)}" for name, value in small.sets.items()]

    def _path(self, name: str) -> str:
        return self.context.config.paths.get(name.strip(), name.strip())

    def _changes(self, small: Shrunk) -> list[Change]:
        own = self.context.config
        return [
            Change(name=name, own=own.get(self._path(name)), smoke=value)
            for name, value in small.sets.items()
        ]

    def _looked(self, small: Shrunk, tried: Prepared, report: SmokeReport) -> SmokeReport:
        """Report on an experiment of which nothing can be started here."""
        wrong = [one for one in tried.findings if one.severity == "error"]
        rendered = tried.context is not None and meter_of(tried.context) is not None
        seen = Seen(rendered=rendered)
        reason = _found(tried) if wrong else self._reward_fails()
        if reason is None and tried.plan is not None:
            count, reason = settings_that_arrive(self.context, tried.plan, self.home)
            seen = msgspec.structs.replace(seen, settings=count)
        seconds = round(time.monotonic() - self.began, 1)
        report = msgspec.structs.replace(report, seconds=seconds)
        return self._finished(small, report, seen, reason)

    def _reward_fails(self) -> Text | None:
        """Have the checks call the reward with made-up answers to the very longest rows."""
        train, chosen = self.context.data.get("train"), self.chosen.get("train")
        if self.context.reward is None or train is None or chosen is None:
            return None
        longest = msgspec.structs.replace(chosen, longest=chosen.longest[:TRIED], others=[])
        sources = {"train": taken(train, longest, self.work / "longest")}
        tried = prepare(
            self.context.experiment.folder, sets=self.options.sets, trial=True,
            profile=self.context.resources.profile, catalog=self.options.catalog,
            resolver=SmokeResolver(self.context, folders_here(self.context), sources),
        )  # fmt: skip
        wrong = [one for one in tried.findings if one.severity == "error"]
        wrong = [one for one in wrong if one.code.startswith("reward/")]
        if not wrong:
            return None
        listed = ", ".join(map(str, longest.longest))
        return Text(f"{wrong[0].message.en} (on the longest rows: lines {listed})",
                    f"{wrong[0].message.zh}（在最长的几行上：第 {listed} 行）")  # fmt: skip

    def _started(
        self, small: Shrunk, tried: Prepared, report: SmokeReport, python: str | None
    ) -> SmokeReport:
        """Run the job and read what it wrote."""
        assert tried.plan is not None and tried.context is not None
        plan = self._plan(small, tried.plan)
        job = self.work / "job"
        fill(job, plan, tried.context, tried.files)
        launch = self._launch(job, plan, python, report.models)
        setup = time.monotonic() - self.began
        self.say(Text(f"starting {plan.method} ({plan.framework}@{plan.version})",
                      f"正在启动 {plan.method}（{plan.framework}@{plan.version}）"))  # fmt: skip
        ended = execute(launch, lambda attempt: self._watch(small, plan, attempt))
        attempt = layout.attempt_dir(job, 0)
        lines = reading.log_lines(attempt)
        steps = judge.steps_of(small, plan, attempt)
        scores = judge.scores_of(plan, attempt)
        reason = judge.what_failed(small, ended, steps, scores, lines)
        small = msgspec.structs.replace(
            small, open=[*small.open, *judge.remarks(small, ended, steps)]
        )
        rewards = [
            row["reward"] for row in reading.rows_of(plan, attempt, "samples") if "reward" in row
        ]
        seen = Seen(
            scored=len(rewards), same_reward=len(rewards) > 1 and len(set(rewards)) == 1,
            validated=judge.validated(plan, attempt),
            model=(job / layout.OUTPUT / "model" / "config.json").is_file(),
        )  # fmt: skip
        report = msgspec.structs.replace(
            report, steps=steps, scores=scores, seconds=round(ended.seconds, 1),
            setup_seconds=round(setup, 1), tail=reading.last_lines(lines) if reason else [],
        )  # fmt: skip
        return self._finished(small, report, seen, reason)

    def _plan(self, small: Shrunk, plan: LaunchPlan) -> LaunchPlan:
        policies = msgspec.structs.replace(
            plan.policies, time_limit=self.options.timeout, stalled=None, stop_grace=10.0
        )
        processes = [
            msgspec.structs.replace(one, env=one.env | {"STARFORGE_SMOKE": "1"})
            for one in plan.processes
        ]
        return msgspec.structs.replace(
            plan, policies=policies, processes=processes, then=msgspec.UNSET
        )

    def _launch(
        self, job: Path, plan: LaunchPlan, python: str | None, models: list[standin.StandIn]
    ) -> Launch:
        located = {
            ref.name: str(standin.source_of(ref) or ref.location) for ref in self.context.models
        }
        located |= {one.role: one.location for one in models}
        gpus = find_gpus()[: plan.resources.gpus] if plan.resources.gpus else []
        return Launch(
            job_id=f"smoke-{secrets.token_hex(6)}", attempt=0, job_dir=job, plan=plan,
            python=python, models=located, resume=False, server_url=None, job_token="",
            gpus=[gpu.index for gpu in gpus], lang=current_lang(),
        )  # fmt: skip

    def _watch(self, small: Shrunk, plan: LaunchPlan, attempt: Path) -> bool:
        """Tell of new steps; a script of one's own has done enough after two of them."""
        progress = read_json(attempt / layout.PROGRESS).get("step")
        step = progress if isinstance(progress, int) else 0
        if small.mode == "script":
            # Steps that are counted by hundreds are still two steps.
            steps = reading.scalars_of(plan, attempt)
            step = len([one for one in steps if one > 0])
        for number in range(1, min(step, max(small.steps, 1)) + 1):
            if number not in self.shown and small.mode != "score":
                self.shown.add(number)
                self.say(Text(f"step {number}/{small.steps}", f"第 {number}/{small.steps} 步"))
        return small.mode == "script" and step >= small.steps

    def _finished(
        self, small: Shrunk, report: SmokeReport, seen: Seen, reason: Text | None
    ) -> SmokeReport:
        report = msgspec.structs.replace(report, ok=reason is None, reason=reason)
        return msgspec.structs.replace(
            report, proved=proved_by(self.context, small, report, seen) if report.ok else [],
            open=left_open(self.context, small, report, seen),
        )  # fmt: skip


def _found(tried: Prepared) -> Text:
    """Return the first error that the checks found in the chosen rows or the stand-ins."""
    first = next(one for one in tried.findings if one.severity == "error")
    where = f"{first.at.file}: " if first.at.file else ""
    return Text(where + first.message.en, where + first.message.zh)


def _written(value: object) -> str:
    return "null" if value is None else to_yaml(value)
