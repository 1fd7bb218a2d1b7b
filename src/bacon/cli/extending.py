"""Draws in stages, as `bacon sample` makes them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from bacon.data.notice import Notice
from bacon.errors import BaconError, InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from bacon.calibration.hardness import HardnessKind
    from bacon.data.hardness import Hardness
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.io.tables import Table
    from bacon.sampling.two_stage import TwoStageDesign

__all__ = ["NextStage", "two_stage_design"]

LABELS_APART = "LABELS.csv"
"""Stands for the file of all labels, where the sheets of the stages are in different folders."""

MODELS = ("gamma", "optimal", "logistic", "uniform")


def two_stage_design(
    rate: float | None, pilot_rate: float | None, *, group: str | None, least: float | None
) -> TwoStageDesign:
    """Return the design whose pilot is drawn, refusing options that lack or do not fit."""
    from bacon.sampling.two_stage import TwoStageDesign

    if rate is None or pilot_rate is None:
        raise InputError(
            "--design two-stage needs --rate (the share of items to label in all) and "
            "--pilot-rate (the share of items in the pilot)."
        )
    return TwoStageDesign(rate, pilot_rate, **_of_groups(group, least))


def _of_groups(group: str | None, least: float | None) -> dict[str, Any]:
    """Return the settings that keep groups from starving."""
    if least is None:
        return {}
    if group is None:
        raise InputError("--least is of each group; name their column with --group.")
    return {"groups": group, "least": least}


@dataclass(frozen=True)
class NextStage:
    """The options that say how the next stage of a draw is made.

    Parameters
    ----------
    extend : Path or None
        Sheet of the stage before.
    labels : Path or None
        File of all labels, if not the sheets.
    value : str or None
        Column of the labels.
    hardness : str or None
        Model of the hardness, or a column of it.
    scale : str or None
        Lowest and highest possible label.
    embeddings : Path or None
        Embeddings of the items.
    """

    extend: Path | None
    labels: Path | None
    value: str | None
    hardness: str | None
    scale: str | None
    embeddings: Path | None

    def __post_init__(self) -> None:
        """Refuse options of a next stage where none is drawn."""
        if self.extend is not None:
            return
        for name in ("labels", "value", "hardness", "scale", "embeddings"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"--{name} goes with --extend SHEET, the labelled sheet of the stage before."
                )

    @property
    def before(self) -> Path:
        """The sheet of the stage before, where there is one."""
        return cast("Path", self.extend)

    def refuse(self, **others: object) -> None:
        """Refuse options that say how a first stage is drawn."""
        for name, value in others.items():
            if value is not None:
                option = "-n" if name == "n" else f"--{name.replace('_', '-')}"
                raise InputError(
                    f"{option} does not go with --extend: the pilot's design says how it goes on; "
                    "--rate changes the share to label in all."
                )

    def keep_inputs(self, out: Path) -> None:
        """Refuse to write the sheet over labels: a sheet of a stage before, or their file."""
        from bacon.io.sheets import sheet_paths

        read = [path for path in (self.labels, self.extend) if path is not None]
        if self.extend is not None:
            with suppress(BaconError):  # told when the labels are read, if they are in the sheets
                read.extend(sheet_paths(self.extend))
        for path in read:
            if out.resolve() == path.resolve():
                raise OutputError(
                    f"{out} holds labels that this stage is drawn from; give the new sheet "
                    "another name with --out."
                )

    def all_labels(self, drawn: Sample) -> str | None:
        """Return the file of all labels that an estimate needs, None where the sheets do."""
        from bacon.io.sheets import SHEET_BEFORE

        # A longer sheet has the rows of the one before.
        if self.extend is None or SHEET_BEFORE in drawn.parameters or drawn.kind == "uniform":
            return None
        return LABELS_APART if self.labels is None else str(self.labels)

    def told(self, drawn: Sample) -> tuple[Notice, ...]:
        """Tell that the labels of the stage before will not be found."""
        if self.all_labels(drawn) != LABELS_APART:
            return ()
        return (
            Notice(
                "sheets_apart",
                f"{self.extend} is in another folder, where its labels are not looked for: give "
                f"the labels of all stages in one file, {LABELS_APART} above.",
            ),
        )

    def draw(
        self,
        items: Pool,
        table: Table,
        out: Path,
        *,
        rate: float | None,
        group: str | None,
        least: float | None,
        id_: str | None,
        levels: str | None,
        na: tuple[str, ...],
        seed: int | None,
        hide: Sequence[str],
    ) -> Sample:
        """Return the sample with its next stage.

        Parameters
        ----------
        items : Pool
            The pool, read from `table`.
        out : Path
            Where the sheet will stand.
        rate, group, least
            Changes of the pilot's design.
        id_, levels, na
            As named, for the labels.
        seed : int or None
            Seed of this stage.
        hide : sequence of str
            Columns that raters must not see.
        """
        from bacon.cli.calibrating import parse_scale
        from bacon.io.samples import read_sample
        from bacon.io.sheets import SHEET_BEFORE
        from bacon.sampling.two_stage import TwoStageDesign

        sheet = self.before
        before = read_sample(sheet, pool=items)
        design = TwoStageDesign.of(before, rate=rate, **_of_groups(group, least))
        ends = None if self.scale is None else parse_scale(self.scale)
        hard = self._hardness(
            items, table, before, design, ends=ends, id_=id_, levels=levels, na=na
        )
        drawn = design.extend(before, hard, seed, pool=items, hide=hide)
        if sheet.resolve().parent != out.resolve().parent or self.labels is not None:
            return drawn
        return replace(drawn, parameters={**drawn.parameters, SHEET_BEFORE: sheet.name})

    def _hardness(
        self,
        items: Pool,
        table: Table,
        before: Sample,
        design: TwoStageDesign,
        *,
        ends: tuple[float, float] | None,
        id_: str | None,
        levels: str | None,
        na: tuple[str, ...],
    ) -> Hardness | npt.ArrayLike:
        """Return the hardness by a model of the labels so far, or from a column."""
        from bacon.calibration.calibrate import calibrate
        from bacon.cli.label_options import LabelOptions
        from bacon.sampling.columns import is_known, numbers

        kind = self.hardness or "gamma"
        if kind not in MODELS:
            if not is_known(items, kind):
                raise InputError(
                    f"--hardness must be one of {', '.join(MODELS)}, or a column of the pool; got "
                    f"{kind!r}."
                )
            return numbers(items, kind, role="the hardness")
        people = LabelOptions(None, self.labels, self.value, None, None, (), self.extend)
        human, _ = people.read(items, table, id_, levels, na)
        cal = calibrate(items, human, sample=before, scale=ends)
        return cal.hardness(cast("HardnessKind", kind), rate=design.rate)
