"""Learning a tokenizer's habits from the usage it reports: corrected estimates with an honest margin."""

import math
from collections.abc import Sequence
from typing import TypeAlias

from agent.tokens.sizes import Sizes

Vector: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = Sequence[Sequence[float]]

_FORGETTING = 0.99
_COMMON = 0.012  # variance that prose and tools share: a tokenizer that takes more of the one takes more of the other
_OWN = 0.0015  # variance of each beside it
_MEDIA = 0.09  # of pictures and documents, which no tokenizer counts
_PRIOR = ((_COMMON + _OWN, _COMMON, 0.0), (_COMMON, _COMMON + _OWN, 0.0), (0.0, 0.0, _MEDIA))
_CLASSES = range(len(_PRIOR))
_BLOCK_NOISE = 0.08  # relative standard deviation of one block's estimate
_LOWEST, _HIGHEST = 0.5, 2.0  # ratios beyond these are not a tokenizer's doing
_TOO_LITTLE = 20  # tokens below which a response teaches no ratio
_FIRST_FLOOR, _FLOOR_CAP = 20.0, 400.0  # tokens that no estimate is surer of: what a server adds unseen
_SMALL, _FLOOR_STEP = 400, 0.2  # responses below this size show the floor, a fifth of the way each
_SLACK, _ALARM = 0.5, 5.0  # cumulative sum over normalised errors: what is ignored, what counts as drift
_FIRST_BAND, _BAND_STEP = 1.7, 0.6  # the band in standard deviations
_MISS_RATE = 0.04  # a little below one in twenty: sessions are short and begin unsure
_NARROWEST, _WIDEST = 0.2, 8.0


class Calibration:
    """Recursive least squares with forgetting over the ratios true / estimated, one per class of content.

    The classes are known to go together: what the first prompt (prose) shows of a tokenizer is believed of tool output too.
    `margin` is a 95 % band: it widens after a miss and narrows after a hit so that fewer than one in twenty miss in the long run.
    """

    def __init__(self) -> None:
        self._ratios = [1.0, 1.0, 1.0]
        self._covariance: Matrix = _PRIOR
        self._band = _FIRST_BAND
        self._floor = _FIRST_FLOOR
        self._drift_up = self._drift_down = 0.0

    def predict(self, sizes: Sizes) -> int:
        """Corrected tokens of `sizes`."""
        return round(_dot(self._ratios, _vector(sizes)))

    def margin(self, sizes: Sizes) -> int:
        """Half the width of the 95 % band around `predict(sizes)`, in tokens; 0 for nothing."""
        return math.ceil(self._band * self._deviation(sizes)) if sizes.total > 0 else 0

    def observe(self, sizes: Sizes, true_tokens: int) -> None:
        """Learns that `sizes` were really `true_tokens`; what no tokenizer could do widens the margin and teaches nothing else."""
        error = true_tokens - self.predict(sizes)
        deviation = self._deviation(sizes)
        self._adapt_band(missed=abs(error) > self._band * deviation)
        if sizes.total < _SMALL:
            self._adapt_floor(error)
        if sizes.total >= _TOO_LITTLE and _LOWEST <= true_tokens / sizes.total <= _HIGHEST:
            self._watch_drift(error / deviation)
            self._update(_vector(sizes), error, self._deviation(sizes) ** 2)

    def _deviation(self, sizes: Sizes) -> float:
        """One standard deviation of the error of `predict(sizes)`, in tokens."""
        vector = _vector(sizes)
        known = _dot(vector, _times(self._covariance, vector))
        return math.sqrt(known + (_BLOCK_NOISE * sizes.spread) ** 2 + self._floor**2)

    def _update(self, vector: Vector, error: float, variance: float) -> None:
        """One step; forgetting leads the covariance back towards the prior, so that it never grows beyond what was unknown at first."""
        seen = _times(self._covariance, vector)
        for index in _CLASSES:
            moved = self._ratios[index] + seen[index] * error / variance
            self._ratios[index] = min(_HIGHEST, max(_LOWEST, moved))
        self._covariance = tuple(
            tuple(
                _FORGETTING * (self._covariance[row][column] - seen[row] * seen[column] / variance)
                + (1 - _FORGETTING) * _PRIOR[row][column]
                for column in _CLASSES
            )
            for row in _CLASSES
        )

    def _adapt_band(self, *, missed: bool) -> None:
        band = self._band * math.exp(_BAND_STEP * (missed - _MISS_RATE))
        self._band = min(_WIDEST, max(_NARROWEST, band))

    def _adapt_floor(self, error: float) -> None:
        step = _FLOOR_STEP * (min(abs(error), _FLOOR_CAP) ** 2 - self._floor**2)
        self._floor = math.sqrt(self._floor**2 + step)

    def _watch_drift(self, normalised: float) -> None:
        """Errors that keep leaning to one side mean another tokenizer: what was learnt becomes uncertain again."""
        self._drift_up = max(0.0, self._drift_up + normalised - _SLACK)
        self._drift_down = max(0.0, self._drift_down - normalised - _SLACK)
        if max(self._drift_up, self._drift_down) > _ALARM:
            self._covariance = _PRIOR
            self._drift_up = self._drift_down = 0.0


def _vector(sizes: Sizes) -> Vector:
    return sizes.prose, sizes.tools, sizes.media


def _times(matrix: Matrix, vector: Vector) -> Vector:
    prose, tools, media = (_dot(row, vector) for row in matrix)
    return prose, tools, media


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(left, right, strict=True))
