"""Trades and candles, from messages and pages alike."""

from decimal import Decimal
from typing import Any, Literal, NamedTuple

from .amounts import raw_base, raw_price
from .errors import SlotbookError


class Trade(NamedTuple):
    """A trade. Amounts are integers, prices and quote at 1e-6, base at 1e-9; None stands for what there is not."""

    symbol: str
    #: Unix seconds of the block.
    ts: int
    slot: int
    #: The program's number of the fill, consecutive in a market.
    fill_record_id: int | None
    tx_sig: str
    #: Its place among the events of the transaction.
    tx_sig_index: int
    #: Quote for a base, rounded to 1e-6; 0 for a fill without a size.
    price: int
    base: int
    quote: int
    #: `long` buys.
    taker_direction: Literal["long", "short"] | None
    taker: str | None
    taker_order_id: int | None
    #: None for fills against the AMM.
    maker: str | None
    maker_order_id: int | None
    #: Quote; positive is a charge, negative a rebate.
    taker_fee: int | None
    maker_fee: int | None
    oracle_price: int | None
    #: Such as `orderFilledWithMatch`.
    explanation: str

    @property
    def key(self) -> tuple[str, int]:
        """Equal for two records of one trade."""
        return self.tx_sig, self.tx_sig_index

    @property
    def number(self) -> int:
        """The number of the fill; -1, before all others, where the program has given none."""
        return -1 if self.fill_record_id is None else self.fill_record_id


Kind = Literal["init", "update", "repair"]


class TradeBatch(NamedTuple):
    """Trades that come together, oldest first."""

    #: `init`: the newest when a subscription begins. `update`: new ones. `repair`: those that a loss had left out.
    kind: Kind
    trades: tuple[Trade, ...]
    #: Trades that came before, and that a fork of the chain has reverted.
    taken_back: tuple[Trade, ...] = ()
    #: At most so many trades are missing before these; `HttpClient.trades` has them.
    left_out: int = 0


class Candle(NamedTuple):
    """A candle; prices and volumes are exact decimals in units of the currencies."""

    #: Its start, Unix seconds.
    ts: int
    #: The close of the candle before.
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    base_volume: Decimal
    quote_volume: Decimal
    #: Of the oracle prices at the trades.
    oracle_open: Decimal
    oracle_high: Decimal
    oracle_low: Decimal
    oracle_close: Decimal


CANDLE_PARTS = ("Open", "High", "Low", "Close")


def trade_of(record: dict[str, Any]) -> Trade:
    """Returns the trade in a record of the Drift v2 data API, of texts or numbers. Raises MALFORMED_ANSWER."""

    def read(name: str, kind: Any) -> Any:
        value = record.get(name)
        return None if value in (None, "") else kind(value)

    try:
        base, quote = raw_base(record["baseAssetAmountFilled"]), raw_price(record["quoteAssetAmountFilled"])
        price = (quote * 10**9 * 2 + base) // (base * 2) if base > 0 else 0
        taker = (read("takerOrderDirection", str), read("taker", str), read("takerOrderId", int))
        fees = (read("takerFee", raw_price), read("makerFee", raw_price))
        tx = (str(record["txSig"]), int(record["txSigIndex"]))
        block = (str(record["symbol"]), int(record["ts"]), int(record["slot"]), read("fillRecordId", int))
        maker = (read("maker", str), read("makerOrderId", int))
        amounts, rest = (price, base, quote), (read("oraclePrice", raw_price), str(record["actionExplanation"]))
        return Trade(*block, *tx, *amounts, *taker, *maker, *fees, *rest)
    except (KeyError, TypeError, ValueError, AttributeError, SlotbookError) as error:
        raise SlotbookError("MALFORMED_ANSWER", f"a trade cannot be read: {error!r:.150}") from error


def candle_of(record: dict[str, Any]) -> Candle:
    """Returns a candle. Raises MALFORMED_ANSWER."""
    try:
        fill, oracle = ([Decimal(record[f"{name}{part}"]) for part in CANDLE_PARTS] for name in ("fill", "oracle"))
        volumes = [Decimal(record[name]) for name in ("baseVolume", "quoteVolume")]
        return Candle(int(record["ts"]), *fill, *volumes, *oracle)
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise SlotbookError("MALFORMED_ANSWER", f"a candle cannot be read: {error!r:.150}") from error
