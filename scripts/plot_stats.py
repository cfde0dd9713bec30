"""Numbers of the charts, made anew from samples by the same rules as harness/stats.hpp and harness/bootstrap.hpp."""
import math
from dataclasses import dataclass

TRIALS_FOR_INTERVAL = 6
RESAMPLES = 2000
SEED = 1


@dataclass(frozen=True)
class Interval:
    """`kind` is ci95, or range, the lowest and the highest, where there are too few trials for an interval."""
    low: float
    high: float
    kind: str


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if not ordered:
        return None
    return ordered[middle] if len(ordered) % 2 else ordered[middle - 1] / 2 + ordered[middle] / 2


def interval_rank(n):
    """The largest k with 2 P(X < k) <= 0.05 for X binomial(n, 1/2); 0 if there is none."""
    below = 0
    for k in range(n):
        below += math.comb(n, k)
        if 40 * below > 2**n:
            return k
    return 0


def interval_of(trial_values):
    """Order-statistic interval of the median; the range below 6 trials; None where one value has no spread to show."""
    ordered, rank = sorted(trial_values), interval_rank(len(trial_values))
    if len(ordered) < 2:
        return None
    if rank == 0:
        return Interval(ordered[0], ordered[-1], "range")
    return Interval(ordered[rank - 1], ordered[-rank], "ci95")


def observations_needed(p):
    """The least number of observations whose largest exceeds the p-quantile with 95 % confidence (S. Wilks, 1941)."""
    side = max(p, 1 - p)
    return 1 if side >= 1 else math.ceil(math.log(0.05) / math.log(side))


def resolved(n, p):
    return n >= observations_needed(p)


def student_t975(freedom):
    """97.5 % quantile of Student's t by the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5)."""
    z = 1.959963985
    terms = ((z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96,
             (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return z + sum(term / freedom**(i + 1) for i, term in enumerate(terms))


def tail(trials, paired):
    """The share of resamples to leave out on each side; rounds drawn together need the wider (T. Hesterberg, 2015)."""
    if not paired:
        return 0.025
    return math.erfc(math.sqrt(trials / (trials - 1)) * student_t975(trials - 1) / math.sqrt(2)) / 2


def _resampled_medians(trials, drawn, random):
    """[resample, trial] -> median of a bootstrap sample of that trial.

    The middle of n draws with replacement is an order statistic of n uniform numbers, which are Beta distributed: so
    the median is drawn at once, exactly, instead of sorting n draws each time.
    """
    import numpy
    out = numpy.empty(drawn.shape)
    for i, samples in enumerate(trials):
        where = drawn == i
        values, n = numpy.sort(samples), len(samples)
        lower = (n + 1) // 2
        at = random.beta(lower, n + 1 - lower, where.sum())
        first = values[numpy.minimum((at * n).astype(int), n - 1)]
        if n % 2 == 0:
            at = at + (1 - at) * random.beta(1, n - lower, where.sum())
            first = first / 2 + values[numpy.minimum((at * n).astype(int), n - 1)] / 2
        out[where] = first
    return out


def compare(base, other, combine, paired):
    """combine(base, other) of two cells' medians, and its hierarchical bootstrap interval.

    `base` and `other` are lists of trials, each a list of samples. Trials (with `paired`, rounds: trial i of both) are
    drawn with replacement, then samples within them (T. Kalibera and R. Jones, 2012). Below 6 trials the interval is
    the range over all pairs of trials.
    """
    import numpy
    a, b = [median(t) for t in base], [median(t) for t in other]
    value, fewest = combine(median(a), median(b)), min(len(a), len(b))
    if fewest < TRIALS_FOR_INTERVAL:
        if len(a) * len(b) < 2:
            return value, None
        pairs = [combine(x, y) for x in a for y in b]
        return value, Interval(min(pairs), max(pairs), "range")
    random = numpy.random.Generator(numpy.random.PCG64(SEED))
    drawn = random.integers(0, len(a), (RESAMPLES, len(a)))
    below = numpy.median(_resampled_medians(base, drawn, random), axis=1)
    if not paired:
        drawn = random.integers(0, len(b), (RESAMPLES, len(b)))
    above = numpy.median(_resampled_medians(other, drawn, random), axis=1)
    ordered, left_out = numpy.sort(combine(below, above)), tail(fewest, paired)
    rank = max(1, math.ceil(left_out * RESAMPLES))
    return value, Interval(float(ordered[rank - 1]), float(ordered[-rank]), "ci95")


def ratio(base, other, paired=False):
    """How many times faster `other` is: median of base / median of other. None where a median is not above zero."""
    if not all(v > 0 for trials in (base, other) for t in trials for v in t):
        return None, None
    return compare(base, other, lambda a, b: a / b, paired)


def difference(base, other, paired=False):
    """How much more `other` takes."""
    return compare(base, other, lambda a, b: b - a, paired)
