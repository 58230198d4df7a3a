"""Simulate execution environments under load: how many, how many cold starts, what it costs.

    .venv/bin/python tools/scale_simulation.py [--p50 0.1 --p95 0.182 --cold 0.9]

Requests come at random (a Poisson process), each takes an environment that is free and warm, or
starts one; an idle one goes after some minutes. The figures are those of docs/scale.md.
"""

import argparse
import heapq
import math
import random
import sys
from dataclasses import asdict, dataclass

IDLE = 300.0  # seconds after which Lambda takes an idle environment away; not promised by anybody
MINUTES = 10  # simulated
RATES = (10, 1_000, 100_000)  # requests a minute

# US dollars, list prices of one region in autumn 2026; put your own here.
GB_SECOND = 0.0000133334  # Lambda, arm64
LAMBDA_REQUEST = 0.20 / 1e6
API_REQUEST = 3.50 / 1e6
LOG_GB = 0.50
LOG_BYTES = 1_600  # a request's lines: one of the log, two or three of metrics
MEMORY_GB = 1.0
AUTHORIZER_SHARE = 0.2  # of the requests that are not in the gateway's cache


@dataclass(frozen=True)
class Figures:
    """What one request takes, in seconds."""

    p50: float = 0.100  # ke_search on InnoDB, 10,000 pages, on the clock: docs/ranking.md
    p95: float = 0.182
    cold: float = 0.900  # init of a search function

    def duration(self, dice: random.Random) -> float:
        """A log-normal duration with these percentiles."""
        sigma = math.log(self.p95 / self.p50) / 1.645
        return self.p50 * math.exp(sigma * dice.gauss(0, 1))


@dataclass
class Result:
    """What became of the requests."""

    requests: int = 0
    cold: int = 0
    most: int = 0  # environments at once, while the first ones start
    steady: int = 0  # the same after the first minute
    seconds: float = 0.0  # billed

    def cost_of_a_million(self) -> float:
        """US dollars, all parts."""
        seconds = self.seconds / self.requests
        one = seconds * MEMORY_GB * GB_SECOND + LAMBDA_REQUEST + API_REQUEST
        one += AUTHORIZER_SHARE * (0.02 * MEMORY_GB * GB_SECOND + LAMBDA_REQUEST)
        one += LOG_BYTES / 1e9 * LOG_GB
        return one * 1e6


def simulate(rate: float, figures: Figures, dice: random.Random) -> Result:
    """*rate* requests a minute for some minutes, beginning with no environment at all."""
    result = Result()
    now, end = 0.0, MINUTES * 60.0
    busy: list[float] = []  # when each becomes free
    free: list[float] = []  # since when; the last one is taken first, as Lambda seems to do
    while True:
        now += dice.expovariate(rate / 60)
        if now > end:
            return result
        while busy and busy[0] <= now:
            free.append(heapq.heappop(busy))
        free = [since for since in free if now - since < IDLE] if len(free) < 50 else free
        seconds = figures.duration(dice)
        if free:
            free.pop()
        else:
            seconds += figures.cold
            result.cold += 1
        heapq.heappush(busy, now + seconds)
        result.requests += 1
        result.seconds += seconds
        result.most = max(result.most, len(busy))
        if now > 60:
            result.steady = max(result.steady, len(busy))


def main() -> None:
    """Print a table of the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in asdict(Figures()).items():
        parser.add_argument(f"--{name}", type=float, default=value, help="seconds")
    figures = Figures(**vars(parser.parse_args()))
    write(
        f"p50 {figures.p50 * 1000:.0f} ms, p95 {figures.p95 * 1000:.0f} ms, "
        f"cold start {figures.cold * 1000:.0f} ms, {MINUTES} minutes from nothing"
    )
    columns = ("requests/min", "at start", "steady", "cold", "cold %", "USD/million", "USD/month")
    write("".join(f"{name:>13}" for name in columns))
    for rate in RATES:
        result = simulate(rate, figures, random.Random(11))  # noqa: S311  # no secret
        million = result.cost_of_a_million()
        row = (
            f"{rate:,}",
            f"{result.most:,}",
            f"{result.steady:,}",
            f"{result.cold:,}",
            f"{100 * result.cold / result.requests:.2f}",
            f"{million:.2f}",
            f"{million * rate * 60 * 24 * 30 / 1e6:,.0f}",
        )
        write("".join(f"{cell:>13}" for cell in row))


def write(line: str) -> None:
    """Print one line."""
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
