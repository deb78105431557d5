"""Subscriptions as a program has them: a loop, a callback, the newest value."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

from .connection import log
from .errors import SlotbookError

Item = TypeVar("Item")


def call_back(callback: Callable[[Item], None], item: Item) -> None:
    """Calls back; an error of the callback is logged."""
    try:
        callback(item)
    except Exception:
        log.exception("a callback failed")


class Subscription(Generic[Item]):
    """One subscription: `async for` loops over its items until `close`, and raises the error that has ended it.

    A slow loop gets the newest: how much may wait for it is the channel's to say. `async with` closes it at the end.
    """

    def __init__(self, keep: Callable[[deque[Item], Item], None], on_close: Callable[["Subscription[Item]"], None]) -> None:
        #: The newest item; None before the first.
        self.newest: Item | None = None
        #: What has ended it; None while it is open, and after `close`.
        self.error: SlotbookError | None = None
        self.is_open = True
        self._keep, self._on_close = keep, on_close
        self._waiting: deque[Item] = deque()
        self._callbacks: list[Callable[[Item], None]] = []
        self._has_news = asyncio.Event()

    def on_update(self, callback: Callable[[Item], None]) -> None:
        """Calls back with every item, at once with the newest where there is one. An error of the callback is logged."""
        self._callbacks.append(callback)
        if self.newest is not None:
            call_back(callback, self.newest)

    def close(self) -> None:
        """Ends it: loops end, and nothing is called back any more."""
        self.end(None)

    def push(self, item: Item) -> None:
        self.newest = item
        self._keep(self._waiting, item)
        self._has_news.set()
        for callback in self._callbacks:
            call_back(callback, item)

    def end(self, error: SlotbookError | None) -> None:
        if self.is_open:
            self.is_open, self.error = False, error
            self._callbacks.clear()
            self._has_news.set()
            self._on_close(self)

    def __aiter__(self) -> AsyncIterator[Item]:
        return self

    async def __anext__(self) -> Item:
        while not self._waiting:
            if self.error is not None:
                raise self.error
            if not self.is_open:
                raise StopAsyncIteration
            self._has_news.clear()
            await self._has_news.wait()
        return self._waiting.popleft()

    async def __aenter__(self) -> "Subscription[Item]":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


class Channel(Generic[Item]):
    """Something to follow. A loop over it subscribes and, when it is left, unsubscribes."""

    def __init__(self, subscribe: Callable[[], Subscription[Item]]) -> None:
        self._subscribe = subscribe

    def subscribe(self) -> Subscription[Item]:
        """Subscribes. Equal subscriptions of one client are one at the service. Raises CLOSED."""
        return self._subscribe()

    async def __aiter__(self) -> AsyncIterator[Item]:
        async with self.subscribe() as subscription:
            async for item in subscription:
                yield item


def keep_newest(waiting: deque[Item], item: Item) -> None:
    waiting.clear()
    waiting.append(item)
