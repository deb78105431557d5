"""A WebSocket that comes again after growing random pauses, without end, until it is closed. It reads no message."""

import asyncio
import json
import logging
import random
from collections.abc import Mapping
from typing import Any, Literal, Protocol

import websockets

from . import limits

ConnectionState = Literal["idle", "connecting", "open", "pausing"]

log = logging.getLogger("slotbook")


class Owner(Protocol):
    """Who uses a connection. An error raised for data restarts it."""

    def handle_state(self, state: ConnectionState) -> None: ...
    def handle_data(self, data: str | bytes) -> None: ...
    def handle_look(self, now: float) -> None: ...


class Connection:
    """A connection to one address."""

    def __init__(self, address: str, owner: Owner) -> None:
        self.state: ConnectionState = "idle"
        #: Cleared while nothing is to be read: the service then holds what it has.
        self.has_room = asyncio.Event()
        self._address, self._owner = address, owner
        self._run: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._parts: list[asyncio.Task[None]] = []
        self._unsent: asyncio.Queue[str] = asyncio.Queue()
        self._has_heard = False
        self._failures = 0
        self._asked_pause_s: float | None = None

    def open(self) -> None:
        """Connects, unless it does already."""
        if self._run is None or self._run.done():
            self.has_room.set()
            self._run = asyncio.get_running_loop().create_task(self._stay_connected())

    def close(self) -> None:
        """Ends the connection; `open` connects again."""
        if self._run is not None:
            self._run.cancel()
            self._ending, self._run = self._run, None
            self._set_state("idle")

    async def wait_closed(self) -> None:
        """Waits until the socket of a closed connection is closed, a second at most."""
        if self._ending is not None and not self._ending.done():
            await asyncio.wait([self._ending])

    def restart(self) -> None:
        """Leaves a connection that may be dead, and connects again after a pause."""
        for part in self._parts:
            part.cancel()

    def ask_pause(self, pause_s: float) -> None:
        """Sets the pause before the next connection, as the service has asked for it."""
        self._asked_pause_s = min(max(pause_s, 0.0), limits.PAUSE_ASKED_MAX_S)

    def reset_pause(self) -> None:
        """Forgets the failures: the connection has led to something."""
        self._failures = 0

    def send(self, message: Mapping[str, Any]) -> None:
        """Sends a message; one above the rate that a service accepts waits. Without a connection it is dropped."""
        self._unsent.put_nowait(json.dumps(message))

    async def _stay_connected(self) -> None:
        options: dict[str, Any] = {"open_timeout": limits.CONNECT_S, "close_timeout": 1, "compression": None}
        # The library's pings would end a connection whose answer waits behind many messages.
        options.update(ping_interval=None, max_size=limits.MESSAGE_BYTES_MAX)
        while True:
            self._set_state("connecting")
            try:
                async with websockets.connect(self._address, **options) as socket:
                    end_where_cancelled()
                    self._unsent = asyncio.Queue()
                    self._set_state("open")
                    await self._use(socket)
            except Exception as error:
                log.debug("%s: %r", self._address, error)
            end_where_cancelled()
            self._set_state("pausing")
            await asyncio.sleep(self._next_pause())

    async def _use(self, socket: Any) -> None:
        """Until one part ends: the service, the network or `restart` has ended the connection."""
        parts = [asyncio.create_task(part) for part in (self._receive(socket), self._send(socket), self._look())]
        self._parts = parts
        try:
            await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            if parts[0].cancelled():
                # The close of a socket that may be dead is not waited for.
                socket.transport.abort()
        finally:
            for part in parts:
                part.cancel()
            for error in await asyncio.gather(*parts, return_exceptions=True):
                if isinstance(error, Exception):
                    log.debug("%s: %r", self._address, error)

    async def _receive(self, socket: Any) -> None:
        async for data in socket:
            self._has_heard = True
            try:
                self._owner.handle_data(data)
            except Exception:
                log.exception("a message could not be handled: connecting again")
                return
            if not self.has_room.is_set():
                await self.has_room.wait()

    async def _send(self, socket: Any) -> None:
        time = asyncio.get_running_loop().time
        allowed, since = float(limits.MESSAGE_BURST), time()
        while True:
            message = await self._unsent.get()
            allowed = min(limits.MESSAGE_BURST, allowed + (time() - since) * limits.MESSAGES_PER_SECOND) - 1
            since = time()
            if allowed < 0:
                await asyncio.sleep(-allowed / limits.MESSAGES_PER_SECOND)
            await socket.send(message)

    async def _look(self) -> None:
        """Looks for silence, until the connection is dead."""
        time = asyncio.get_running_loop().time
        silence_s, is_pinged = 0.0, False
        while silence_s < limits.PING_S + limits.PONG_S:
            before = time()
            await asyncio.sleep(limits.LOOK_S)
            # After a pause of the process its messages are still to be read: they are, before silence is judged.
            if time() - before > limits.LOOK_S + limits.LATE_S or not self.has_room.is_set():
                continue
            if self._has_heard:
                self._has_heard, silence_s, is_pinged = False, 0.0, False
            silence_s += limits.LOOK_S
            if silence_s > limits.PING_S and not is_pinged:
                self.send({"type": "ping"})
                is_pinged = True
            self._owner.handle_look(time())

    def _next_pause(self) -> float:
        asked, self._asked_pause_s = self._asked_pause_s, None
        if asked is not None:
            return asked
        bound = min(limits.PAUSE_CAP_S, limits.PAUSE_FIRST_S * 2**self._failures)
        self._failures = min(self._failures + 1, 30)
        return random.uniform(0, bound)

    def _set_state(self, state: ConnectionState) -> None:
        if self.state != state:
            self.state = state
            self._owner.handle_state(state)


def end_where_cancelled() -> None:
    """Raises the cancellation that `asyncio.wait_for` and the library drop where what they wait for ends at once."""
    task = asyncio.current_task()
    if task is not None and task.cancelling() > 0:
        raise asyncio.CancelledError
