#!/usr/bin/env python3
"""Writes samples_*.json beside itself: 80 cells of 7 trials that all measure the same thing (A/A), in four kinds of noise.

The files are stored, so that a test of the statistics cannot change its mind with a library; this script says where they
come from and makes them again, byte for byte. Values are ns/op about 100.
"""
import json
import math
import random
from pathlib import Path

CELLS, TRIALS, SAMPLES = 80, 7, 9


def quiet(draw, trial, _round):
    """A machine of its own: half a percent between trials, one percent within."""
    return trial * 0.005 + draw.gauss(0, 0.01)


def noisy(draw, trial, _round):
    """Layout moves whole trials by 3 %, and one sample in ten is interrupted."""
    return trial * 0.03 + abs(draw.gauss(0, 0.01)) + (0.3 * draw.random() if draw.random() < 0.1 else 0)


def ticking(draw, trial, _round):
    """A coarse clock: values in steps of 2 %, many of them equal."""
    return round((trial * 0.02 + draw.gauss(0, 0.02)) * 50) / 50


def rounds(draw, trial, round_effect):
    """What a round does to all its cells alike, 5 %, exceeds what tells its trials apart, 1 %."""
    return round_effect * 0.05 + trial * 0.01 + draw.gauss(0, 0.01)


def cell(draw, kind, round_effects):
    trials = []
    for effect in round_effects:
        trial = draw.gauss(0, 1)
        trials.append([round(100 * math.exp(kind(draw, trial, effect)), 2) for _ in range(SAMPLES)])
    return trials


def main():
    for seed, kind in enumerate((quiet, noisy, ticking, rounds), start=1):
        draw = random.Random(seed)
        effects = [draw.gauss(0, 1) for _ in range(TRIALS)]
        cells = [json.dumps(cell(draw, kind, effects), separators=(",", ":")) for _ in range(CELLS)]
        text = f'{{"kind": "{kind.__name__}", "seed": {seed}, "cells": [\n' + ",\n".join(cells) + "\n]}\n"
        Path(__file__).with_name(f"samples_{kind.__name__}.json").write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
