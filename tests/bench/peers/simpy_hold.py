# SPDX-License-Identifier: GPL-3.0-or-later
"""SimPy, 2 or 3 and later: processes that wait. Prints as hold.h says."""

import math
import random
import sys
import time

STRETCHES = 4
EVENTS = 100000
pending = int(sys.argv[1])
rng = random.Random(1)
delays = [1 + int(-1000.0 * pending * math.log(1.0 - rng.random())) for _ in range(65536)]
state = {"i": 0, "n": 0, "last": 0.0, "best": None, "marks": 0}


def mark():
    now = time.process_time()
    if state["marks"] > 1:
        spent = now - state["last"]
        state["best"] = spent if state["best"] is None else min(state["best"], spent)
    state["last"] = now
    state["marks"] += 1
    if state["marks"] > STRETCHES:
        print("%.4f" % (1e-6 * EVENTS / state["best"]), flush=True)
        sys.exit(0)


def delay():
    state["i"] = (state["i"] + 1) % 65536
    state["n"] += 1
    if state["n"] == EVENTS:
        state["n"] = 0
        mark()
    return delays[state["i"]]


try:
    import simpy

    env = simpy.Environment()

    def process():
        while True:
            yield env.timeout(delay())

    for _ in range(pending):
        env.process(process())
    env.run()
except ImportError:
    from SimPy.Simulation import Process, activate, hold, initialize, simulate

    class Holder(Process):
        def again(self):
            while True:
                yield hold, self, delay()

    initialize()
    for _ in range(pending):
        holder = Holder()
        activate(holder, holder.again())
    simulate(until=1e300)
