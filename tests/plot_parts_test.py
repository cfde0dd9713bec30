"""The parts of scripts/plot*.py: looks of the runtimes, intervals, bootstrap, ticks, command lines."""
import random
import sys
from pathlib import Path

import numpy
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))

import plot_axes  # noqa: E402
import plot_data  # noqa: E402
import plot_stats as stats  # noqa: E402
import plot_style as style  # noqa: E402

IDS = """serial static heartbeat tbb openmp rayon fiber boost_context boost_fiber ucontext coroutine asio uring epoll
threads futex fio sockperf nginx continuation rseq cas16 mutex glibc jemalloc tcmalloc mimalloc tbbmalloc snmalloc tlsf
tlsfcc hslab wfslab bbmalloc""".split()


def test_every_runtime_has_a_look_of_its_own():
    assert sorted(style.RUNTIMES) == sorted(IDS)
    assert len(set(style.RUNTIMES.values())) == len(IDS)
    assert style.style_of("heartbeat") == style.Style("#0072B2", "o", ())  # charts made at different times must agree
    assert style.style_of("somebody") == style.style_of("somebody") and style.style_of("somebody").marker in "h8HPpd"


def test_interval_rank_is_the_binomial_one():
    assert [stats.interval_rank(n) for n in (1, 5, 6, 7, 8, 9, 12, 30)] == [0, 0, 1, 1, 1, 2, 3, 10]
    assert stats.interval_of([3, 1, 2, 6, 5, 4]) == stats.Interval(1, 6, "ci95")
    assert stats.interval_of([3, 1]) == stats.Interval(1, 3, "range") and stats.interval_of([3]) is None


def test_percentiles_need_their_observations():
    assert [stats.observations_needed(p) for p in (0.5, 0.9, 0.99, 0.999)] == [5, 29, 299, 2995]


def test_bootstrap_median_agrees_with_sorting_draws():
    source = numpy.random.Generator(numpy.random.PCG64(11))
    for n in (5, 8):
        samples = list(source.normal(10, 1, n))
        drawn = numpy.zeros((4000, 1), dtype=int)
        fast = stats._resampled_medians([samples], drawn, source).ravel()
        slow = numpy.median(source.choice(samples, (4000, n)), axis=1)
        for q in (5, 50, 95):
            assert numpy.percentile(fast, q) == pytest.approx(numpy.percentile(slow, q), abs=0.12)


def test_ratio_interval_covers_the_truth():
    source, hits = random.Random(5), 0
    for _ in range(200):
        base, other = ([[v * source.gauss(1, 0.01) for _ in range(5)]
                        for v in [m * source.gauss(1, 0.05) for _ in range(7)]] for m in (3, 2))
        _, interval = stats.ratio(base, other)
        hits += interval.low <= 1.5 <= interval.high
    assert hits >= 184  # 95 % of 200 is 190; fewer than 184 of a true 95 % has a chance of 3 %


def test_command_has_no_folders():
    assert plot_data.command_of({"argv": ["/usr/bin/bb", "--json", "/a/b/x.json", "--size", "1K"]}) == \
        "bb --json x.json --size 1K"
    assert plot_data.command_of({"argv": ["run", "--size", "1K"]}) == "bb run --size 1K"


@pytest.mark.parametrize("values, ticks", [
    ([1, 2, 4, 8], [1, 2, 4, 8]), ([1, 3, 24], [1, 3, 24]), (list(range(1, 49)), [1, 2, 4, 8, 16, 32, 48]),
    (list(range(1, 65)), [1, 2, 4, 8, 16, 32, 64]),
    ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]), ([7], [7]), ([21, 22, 23], [21, 23]), ([1, 2, 3, 4, 5, 6], [1, 2, 4, 6]),
    ([2**k for k in range(12)], [1, 4, 16, 64, 256, 1024, 2048]),
])
def test_ticks_do_not_crowd(values, ticks):
    assert plot_axes.log2_ticks(values, 9) == ticks


@pytest.mark.parametrize("value, text", [(0, "0"), (1.1, "1.10"), (9.996, "10.0"), (123456.7, "123457"),
                                         (0.004567, "0.00457"), (-2.5, "-2.50")])
def test_numbers_are_written_as_in_the_tables(value, text):
    assert style.number(value) == text


@pytest.mark.parametrize("value, text", [(1000, "1K"), (100_000_000, "100M"), (1500, "1500"), (0, "0"),
                                         ("each", "each")])
def test_counts_are_written_as_in_the_tables(value, text):
    assert style.count(value) == text
