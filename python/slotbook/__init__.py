"""Order books, trades and candles of a slotbook service, live and in the past.

    async with Client("http://127.0.0.1:8080") as client:
        async for book in client.book("SOL-PERP", depth=20):
            print(book.state, book.is_following, book.best_bid, book.best_ask)
"""

from .account import AccountView
from .amounts import as_base, as_price, raw_base, raw_price
from .client import BookChannel, Client
from .dataframes import to_pandas, to_polars
from .errors import ProtocolViolation, SlotbookError
from .http import HttpClient, Moment
from .records import Candle, Trade, TradeBatch
from .replay import Hole, Replay
from .rows import Best, BookView, Level, Order, Timing
from .subscription import Channel, Subscription

__all__ = [
    "AccountView", "Best", "BookChannel", "BookView", "Candle", "Channel", "Client", "Hole", "HttpClient", "Level", "Moment",
    "Order", "ProtocolViolation", "Replay", "SlotbookError", "Subscription", "Timing", "Trade", "TradeBatch",
    "as_base", "as_price", "raw_base", "raw_price", "to_pandas", "to_polars",
]
