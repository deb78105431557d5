"""The socket of a service, which all subscriptions of a client share: it knows which message is whose."""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from itertools import count
from typing import Any

from .binary import FrameDecoder
from .connection import Connection, ConnectionState
from .errors import ProtocolViolation, SlotbookError, error_of
from .reader import Hooks, Reader


class ServiceSocket:
    """Readers over one connection, which is open while there are any."""

    def __init__(self, url: str, hooks: Hooks) -> None:
        self.hooks = hooks
        self.connection = Connection(socket_address(url), self)
        self.readers: dict[str, Reader[Any]] = {}
        #: The readers by the names of their topics in messages.
        self.named: dict[str, Reader[Any]] = {}
        #: Numbers that no message had before.
        self.ids = count(1)
        self._decoder = FrameDecoder()

    def join(self, key: str, make: Callable[[], Reader[Any]]) -> Reader[Any]:
        """Returns the reader with a key, made where there is none."""
        self.connection.open()
        reader = self.readers.get(key)
        if reader is None:
            reader = self.readers[key] = make()
            if self.connection.state == "open":
                reader.subscribe()
        return reader

    def leave(self, reader: Reader[Any]) -> None:
        """Takes a reader out; without any the connection is closed."""
        self.readers = {key: one for key, one in self.readers.items() if one is not reader}
        self.named = {name: one for name, one in self.named.items() if one is not reader}
        if not self.readers:
            self.connection.close()

    def handle_state(self, state: ConnectionState) -> None:
        for reader in list(self.readers.values()):
            if state == "open":
                reader.subscribe()
            else:
                reader.handle_disconnect()
        self.hooks.on_connection(state)

    def handle_look(self, now: float) -> None:
        for reader in list(self.readers.values()):
            reader.handle_look(now)

    def handle_data(self, data: str | bytes) -> None:
        try:
            if isinstance(data, bytes):
                frame = self._decoder.decode_frame(data)
                if frame.topic in self.named:
                    self.named[frame.topic].handle_frame(frame)
            else:
                self._handle_message(read_message(data))
        except ProtocolViolation as violation:
            # Whose the message was is not certain: nothing of this connection is gone on from.
            self._decoder = FrameDecoder()
            for reader in self.readers.values():
                reader.invalidate()
            self.hooks.on_repair(violation)
            self.connection.restart()

    def _handle_message(self, message: dict[str, Any]) -> None:
        kind, number = message.get("type"), message.get("id")
        if kind == "closing":
            self.connection.ask_pause(float(message.get("reconnectAfterMs", 0)) / 1000)
        elif kind == "error":
            self._handle_error(message, number)
        elif kind in ("subscribed", "subscription"):
            for reader in list(self.readers.values()):
                if reader.id == number:
                    reader.handle_subscribed(message)
        elif (named := self.named.get(name_of(message))) is not None:
            named.handle_message(message)

    def _handle_error(self, message: dict[str, Any], number: Any) -> None:
        if not isinstance(message.get("code"), str):
            raise ProtocolViolation("malformed", "the code of an error is not a text")
        error, named = error_of(message), self.named.get(name_of(message))
        # It answers an unsubscription, and its name may be that of a later subscription.
        if error.code == "NOT_SUBSCRIBED":
            return
        for reader in list(self.readers.values()):
            # One without a number and a name is about a message that was not read.
            is_unread = number is None and named is None and reader.phase == "subscribing"
            if reader.id == number or (number is None and reader is named) or is_unread:
                reader.handle_error(error)


def read_message(data: str) -> dict[str, Any]:
    try:
        message = json.loads(data, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise ProtocolViolation("malformed", f"a message is not JSON: {error!r:.100}") from error
    if not isinstance(message, dict):
        raise ProtocolViolation("malformed", "a message is not an object")
    return message


def name_of(message: dict[str, Any]) -> str:
    """The topic of a message; of candles and trades a name by their members."""
    if "topic" in message:
        return str(message["topic"])
    candle = message.get("candle")
    members = candle if isinstance(candle, dict) else message
    parts = (members.get(name) for name in ("symbol", "resolution"))
    return ":".join(str(part).lower() for part in parts if part is not None)


def socket_address(url: str) -> str:
    """Returns the address of a service's socket. Raises INVALID_OPTION."""
    found = re.fullmatch(r"(?:http|ws)(s?)://([^/?#]+(?:/[^?#]*?)?)/*", url)
    if found is None:
        raise SlotbookError("INVALID_OPTION", f"url was {url}, must begin with http://, https://, ws:// or wss://")
    tls, rest = found.groups()
    return f"ws{tls}://{rest}" if rest.endswith("/ws") else f"ws{tls}://{rest}/ws"
