"""Rows, trades and candles as data frames. The packages are the extras `pandas` and `polars`."""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .amounts import BASE_PLACES, PRICE_PLACES

if TYPE_CHECKING:
    import pandas
    import polars

#: Decimal places of integers by the name of their field.
PLACES = {
    **dict.fromkeys(("price", "quote", "oracle_price", "oracle_price_offset", "taker_fee", "maker_fee"), PRICE_PLACES),
    **dict.fromkeys(("size", "queue", "base"), BASE_PLACES),
}


def columns_of(rows: Iterable[Any], *, exact: bool) -> dict[str, list[Any]]:
    """Returns the fields of named tuples as columns: a `ts` in seconds is a time of UTC.

    Amounts are floats in units of the currency for analysis; with `exact` they stay the integers and decimals they are.
    The sources of each level are those of all levels, 0 where a level has none of one.
    """
    listed = list(rows)
    columns = {name: [getattr(row, name) for row in listed] for name in (listed[0]._fields if listed else ())}
    for name, values in columns.items():
        if name == "sources":
            # Polars takes the names of the first rows, and drops all others.
            sources = sorted({source for value in values for source in value})
            values = [{source: value.get(source, 0) for source in sources} for value in values]
            columns[name] = values if exact else [{source: size / 10**BASE_PLACES for source, size in value.items()} for value in values]
        elif name == "ts":
            columns[name] = [datetime.fromtimestamp(value, UTC) for value in values]
        elif not exact and name in PLACES:
            columns[name] = [None if value is None else value / 10 ** PLACES[name] for value in values]
        elif not exact and values and isinstance(values[0], Decimal):
            columns[name] = [float(value) for value in values]
    return columns


def to_pandas(rows: Iterable[Any], *, exact: bool = False) -> "pandas.DataFrame":
    """Returns levels, orders, trades or candles as a frame of pandas, a row each; see `columns_of`."""
    import pandas

    return pandas.DataFrame(columns_of(rows, exact=exact))


def to_polars(rows: Iterable[Any], *, exact: bool = False) -> "polars.DataFrame":
    """Returns levels, orders, trades or candles as a frame of Polars, a row each; see `columns_of`."""
    import polars

    return polars.DataFrame(columns_of(rows, exact=exact))
