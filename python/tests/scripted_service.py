"""A service that sends what a test says: over a real WebSocket, the frames of test/vectors/stream."""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import websockets

VECTORS = Path(__file__).parents[2] / "test" / "vectors"


def frames_of(case: str) -> list[dict[str, Any]]:
    """The frames of a recorded stream."""
    lines = (VECTORS / "stream" / f"{case}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:-1]]


class ScriptedService:
    """Collects messages, and sends what it is told."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self.received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.socket: Any = None
        self.connects = 0
        self.url = ""
        self._server: Any = None

    async def __aenter__(self) -> "ScriptedService":
        self._server = await websockets.serve(self._handle, "127.0.0.1", self._port, compression=None)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _handle(self, socket: Any, *_: object) -> None:
        self.socket = socket
        self.connects += 1
        with contextlib.suppress(websockets.ConnectionClosed):
            async for text in socket:
                self.received.put_nowait(json.loads(text))

    async def next_message(self, kind: str) -> dict[str, Any]:
        """The next message of the client, which must be of a type."""
        message = await asyncio.wait_for(self.received.get(), 30)
        assert message["type"] == kind, message
        return message

    async def accept(self, topic: str) -> dict[str, Any]:
        """Acknowledges the next subscription; returns it."""
        message = await self.next_message("subscribe")
        await self.send({"type": "subscribed", "id": message["id"], "topic": topic})
        return message

    async def send(self, *messages: dict[str, Any] | bytes) -> None:
        for message in messages:
            await self.socket.send(message if isinstance(message, bytes) else json.dumps(message))

    def cut(self) -> None:
        """Ends the connection without a close frame."""
        self.socket.transport.abort()
