"""Results as bb writes them, of a machine that does not exist: the same seed gives the same numbers.

  python3 tests/data/synthetic_result.py tree > tree.json
"""
import json
import math
import random
import statistics
import sys

MACHINE = {
    "cpu": "Example 9000 @ 3.00GHz", "architecture": "x86_64", "packages": 1, "numa_nodes": 1, "l3_domains": 1,
    "cores": 2, "pus": 2, "l3_bytes": 33554432, "kinds": [], "allowed": "0-1", "quota": None, "default_threads": 2,
    "governor": None, "scaling_driver": None, "min_mhz": None, "max_mhz": None, "turbo": None, "smt": False,
    "kernel": "6.1.0", "libc": "glibc 2.36", "clock_source": "tsc", "thp": "madvise", "aslr": 2,
    "perf_event_paranoid": 2, "io_uring_disabled": 0, "memory_bytes": 16 << 30, "page_bytes": 4096,
    "load": [0.1, 0.1, 0.1], "virtualised": True, "hypervisor": None,
    "clock": {"source": "tsc", "step_ns": 1, "cost_ns": 20}}
TOOL = {"name": "bb", "version": "0.1.0", "commit": "0123456789ab",
        "build": {"compiler": "clang 19.1.7", "flags": "-O3 -DNDEBUG", "type": "Release", "sanitizers": "",
                  "debug": False}, "runtimes": {}}
SETTINGS = {
    "workloads": "tree", "runtimes": "all", "variant": "best", "threads": "1..32", "pin": "core", "params": {},
    "filters": [], "full": False, "smoke": False, "time_ns": 10**7, "warmup_ns": 10**6, "cooldown_ns": 0,
    "timeout_ns": 10**9, "budget_ns": 0, "samples": 0, "trials": 7, "max_trials": 30, "precision": 0.0,
    "thp": "system", "membind": "none", "require": False}
USAGE = {"user_ns": None, "system_ns": None, "voluntary_switches": 0, "involuntary_switches": 1, "minor_faults": 2,
         "major_faults": 0, "migrations": None}
GROWTH = {"rss_growth_bytes": 65536, "peak_growth_bytes": 65536}
NO_NUMBER = {"median": None, "ci95": None, "min": None, "mad": None}
TREE = {"size": 1000, "layout": "preorder", "shape": "balanced", "entry": "each"}


class Maker:
    """Cells with log-normal noise between trials and between samples."""

    def __init__(self, seed=7, trials=7, samples=12, noise=0.01):
        self.random = random.Random(seed)
        self.trials, self.samples, self.noise = trials, samples, noise

    def scatter(self, value, noise):
        return value * math.exp(self.random.gauss(0, noise))

    def cell(self, runtime, threads, value, cpu=None, pus=2, **more):
        c = {"workload": "tree", "params": dict(TREE), "runtime": runtime, "variant": "generic", "arm": "",
             "threads": threads, "status": "ok", "reason": None, "unit": "ns/op", "better": "lower",
             "summary": {"trials": 0, "n": 0} | NO_NUMBER, "steadiness": "flat",
             "cpu": {"cpu_ns_per_op": cpu, "energy_j": None} | USAGE, "memory": GROWTH, "latency": None, "rate": None,
             "pin": {"policy": "core", "threads": threads, "planned": [i % pus for i in range(threads)],
                     "allowed": list(range(pus)), "taskset": "0-1", "oversubscribed": threads > pus},
             "trials": [], "samples": []}
        c.update(more)
        for trial in range(self.trials if value is not None else 0):
            self.measure(c, trial, value, cpu)
        return c

    def measure(self, c, trial, value, cpu):
        middle, at = self.scatter(value, self.noise), {"trial": trial, "round": trial, "order": 0}
        pus = c["pin"]["planned"]
        c["trials"].append(at | {
            "wall_total_ns": 10**7, "runs_per_sample": 1000, "operations": 1e6, "bytes_per_op": 24.0,
            "first_run_ns": 3000, "warmup_ns": 10**6,
            "cpu_ns_per_op": None if cpu is None else self.scatter(cpu, self.noise),
            "cpu": {"wall_ns": 10**7, "cpu_ns": 10**7} | USAGE, "memory": GROWTH,
            "counters": {"cycles": None, "instructions": None, "user_mode_only": False}, "energy_j": None, "notes": [],
            "noise": {"steal_us": 0, "throttled_us": None, "nr_throttled": None}, "load": 0.5,
            "steadiness": {"label": "flat", "trend": 0.0, "step": 0.0},
            "pin": {"policy": "core", "taskset": "0-1", "oversubscribed": c["pin"]["oversubscribed"], "planned": pus,
                    "actual": pus, "last": pus, "threads_seen": len(pus), "pus_seen": len(set(pus))}})
        values = [self.scatter(middle, self.noise / 2) for _ in range(self.samples)]
        c["samples"] += [{"v": middle * 3} | at | {"warmup": True}]
        c["samples"] += [{"v": v} | at | {"warmup": False} for v in values]
        timed = [s["v"] for s in c["samples"] if not s["warmup"]]
        c["summary"].update(trials=trial + 1, n=len(timed), median=statistics.median(timed), min=min(timed), mad=0.0)

    def absent(self, runtime, reason, **more):
        return self.cell(runtime, 1, None, status="absent", reason=reason, pin=None, **more)


def result(cells, **more):
    """A result of these cells, their trials in a random order within each round."""
    shuffle = random.Random(3)
    places = shuffle.sample(range(len(cells)), len(cells))
    for c, place in zip(cells, places):
        for record in c["samples"] + c["trials"]:
            record["order"] = place
    return {"schema": "bb/1", "tool": TOOL, "started": "2025-03-01T10:00:00Z", "finished": "2025-03-01T10:05:00Z",
            "partial": False, "seed": 7, "argv": ["run", "--workload", "tree", "--threads", "1..32"], "tags": {},
            "settings": SETTINGS, "machine": dict(MACHINE), "ceilings": [], "warnings": [], "cells": cells, **more}


def tree(maker=None, threads=(1, 2, 4, 8, 16, 32), sizes=(1000, 100_000_000), pus=2):
    """The first command of the README, as one would hope for it."""
    m, cells = maker or Maker(), []
    for size in sizes:
        params, large = TREE | {"size": size}, size > 10**6
        serial = 3.1 if large else 1.1
        limit = 1.35 if large and pus == 2 else pus

        def add(runtime, t, value, cpu, **more):
            cells.append(m.cell(runtime, t, value, cpu, pus=pus, params=params, **more))

        add("serial", 1, serial, serial)
        for t in threads:
            if large and t not in (1, min(pus, max(threads))):
                continue
            many = min(t, limit)
            over = 1 if t <= pus else 1.08
            small = 1 if large else t**0.02
            add("static", t, serial / many * over if large else serial + 0.3 * (t - 1), serial * 1.02 * over)
            add("heartbeat", t, (serial + 0.42) / many if large else (serial + 0.42) * small, (serial + 0.45) * small)
            add("tbb", t, (serial + 24) / many * over, (serial + 25) * (1 if t == 1 else 1.4))
            add("tbb", t, (serial + 0.05) / (many if large else 1) * over, serial * 1.1 * min(t, pus), arm="cutoff=10000")
    cells += [m.absent("asio", "asio: has no fork/join"), m.absent("fio", "fio: has no fork/join")]
    return result(cells, machine=MACHINE | {"cores": pus, "pus": pus})


def many(count=12):
    """More runtimes than anybody should put in one chart, on a machine of 16 cores and 32 PUs."""
    m = Maker(noise=0.02)
    names = ["heartbeat", "tbb", "openmp", "rayon", "fiber", "boost_fiber", "coroutine", "asio", "threads", "mutex"]
    names += [f"unknown{i}" for i in range(count)]
    cells = [m.cell("serial", 1, 3.0, 3.0, pus=32)]
    for i, name in enumerate(names[:count]):
        for t in (1, 2, 4, 8, 16, 32, 64):
            speed = min(t, 32)**(1 - 0.04 * i)
            cells.append(m.cell(name, t, (3.2 + 0.3 * i) / speed, 3.2 * min(t, 32) / speed, pus=32))
    return result(cells, machine=MACHINE | {"cores": 16, "pus": 32, "governor": "performance", "turbo": True})


def histogram(source, n, middle, tail):
    counts = {}
    for _ in range(n):
        value = int(middle * math.exp(source.gauss(0, 0.15)) * (tail if source.random() < 0.004 else 1))
        counts[value] = counts.get(value, 0) + 1
    return {"lo": 1, "digits": 3, "min": min(counts), "max": max(counts), "overflow": 0, "negative": 0,
            "bins": sorted([v, c] for v, c in counts.items())}


def pingpong():
    m, source, cells = Maker(), random.Random(5), []
    for runtime, middle, tail in (("fiber", 900, 12), ("asio", 3200, 9), ("threads", 9000, 30)):
        latency = {"service": histogram(source, 5000, middle, tail),
                   "response": histogram(source, 5000, middle * 1.3, tail * 4)}
        cells.append(m.cell(runtime, 1, middle, middle, workload="pingpong", params={"bytes": 64}, latency=latency,
                            rate={"offered": 100000.0}))
    return result(cells)


def switch():
    m, cells = Maker(), []
    for fibers in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        for runtime, base, knee, arm in (("fiber", 2.3, 256, ""), ("fiber", 2.5, 16, "stack_color=off"),
                                         ("boost_context", 5.6, 512, ""), ("boost_fiber", 57, 512, "")):
            value = base * (1 + 2.2 / (1 + (knee / fibers)**4)) if base < 3 else base
            cells.append(m.cell(runtime, 1, value, value, workload="switch", params={"fibers": fibers}, arm=arm))
    return result(cells)


KINDS = {"tree": tree, "many": many, "pingpong": pingpong, "switch": switch,
         "big": lambda: tree(threads=(1, 2, 4, 8, 16, 32, 64), sizes=(1000, 30000, 1000000, 100_000_000), pus=32)}

if __name__ == "__main__":
    json.dump(KINDS[sys.argv[1]](), sys.stdout, indent=1)
    print()
