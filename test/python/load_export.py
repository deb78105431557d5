"""Loads the exports of a market with pandas and hftbacktest, and prints the levels that each has at the end.

    load_export.py book.csv book.parquet tick_size lot_size

The levels are lists of side, price and amount as numbers.
"""

import json
import sys

import numpy
import pandas
from hftbacktest import BacktestAsset, HashMapMarketDepthBacktest
from hftbacktest.data.utils import tardis

SECOND_NS = 1_000_000_000
TICKS_MAX = 1_000_000


def levels_of(rows):
    """What stands: of each level the last amount, unless that is 0."""
    last = rows.groupby(["side", "price"], sort=False)["amount"].last()
    return [[side, float(price), float(amount)] for (side, price), amount in last.items() if amount > 0]


def levels_of_backtest(path, tick_size, lot_size):
    events = tardis.convert([path], buffer_size=1_000_000, ss_buffer_size=100_000)
    asset = (
        BacktestAsset()
        .data(events)
        .linear_asset(1.0)
        .constant_order_latency(0, 0)
        .risk_adverse_queue_model()
        .no_partial_fill_exchange()
        .trading_value_fee_model(0, 0)
        .tick_size(tick_size)
        .lot_size(lot_size)
    )
    backtest = HashMapMarketDepthBacktest([asset])
    try:
        while backtest.elapse(SECOND_NS) == 0:
            pass
        depth = backtest.depth(0)
        sides = [("bid", depth.bid_qty_at_tick), ("ask", depth.ask_qty_at_tick)]
        first, last = numpy.min(events["px"]), numpy.max(events["px"])
        ticks = range(round(first / tick_size), round(last / tick_size) + 1)
        assert len(ticks) <= TICKS_MAX, f"prices were {len(ticks)} ticks apart"
        return [
            [side, round(tick * tick_size, 9), round(amount, 9)]
            for side, amount_at in sides
            for tick in ticks
            if (amount := amount_at(tick)) > 0
        ]
    finally:
        backtest.close()


def main(csv, parquet, tick_size, lot_size):
    stored = pandas.read_parquet(parquet)
    print(
        json.dumps(
            {
                "csv": levels_of(pandas.read_csv(csv)),
                "parquet": levels_of(stored),
                "types": {name: str(kind) for name, kind in stored.dtypes.items()},
                "hftbacktest": levels_of_backtest(csv, float(tick_size), float(lot_size)),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
