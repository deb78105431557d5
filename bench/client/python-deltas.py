"""CPU time of the Python client for a delta of depth 20: read from a socket, decoded, checked, shown.

    python3 bench/client/python-deltas.py [DELTAS] [json]

Another process sends the snapshot and the nine deltas of a topic in test/vectors/binary, again and again; the time of the snapshots is
measured by itself and taken off. PYTHONPATH is `python`.
"""

import asyncio
import contextlib
import json
import multiprocessing
import sys
import time
from pathlib import Path

import websockets
from slotbook import Client
from slotbook.binary import FrameDecoder
from slotbook.book import FollowedBook
from slotbook.frames import frame_of

TOPIC = "book:SOL-PERP:20:binary"
BLOCK = 50


def frames_of(encoding: str) -> list:
    """The frames of the topic up to its last delta."""
    file = Path(__file__).parents[2] / "test/vectors/binary/frames.jsonl"
    vectors = [vector for vector in map(json.loads, file.read_text().splitlines()) if vector["frame"]["topic"] == TOPIC]
    vectors = [vector for vector in vectors if vector["frame"]["type"] != "heartbeat"]
    return [bytes.fromhex(one["hex"]) if encoding == "binary" else json.dumps(one["frame"]) for one in vectors]


def serve(port, encoding: str) -> None:
    async def send_all(socket, *_):
        request = json.loads(await socket.recv())
        await socket.send(json.dumps({"type": "subscribed", "id": request["id"], "topic": TOPIC}))
        frames = frames_of(encoding) * BLOCK
        with contextlib.suppress(websockets.ConnectionClosed):
            while True:
                for frame in frames:
                    await socket.send(frame)

    async def main() -> None:
        server = await websockets.serve(send_all, "127.0.0.1", 0, compression=None)
        port.value = server.sockets[0].getsockname()[1]
        await asyncio.Future()

    asyncio.run(main())


async def follow(port: int, encoding: str, count: int) -> float:
    """Returns the CPU seconds for so many deltas and the snapshots between them."""
    done = asyncio.Event()
    seen = 0
    began = 0.0

    def count_frame(book) -> None:
        nonlocal seen, began
        assert book.is_following and book.best_bid is not None
        seen += 1
        if seen == count // 10:
            began = time.process_time()
        if seen == count + count // 10:
            done.set()

    async with Client(f"http://127.0.0.1:{port}", encoding=encoding, on_repair=print) as client:
        client.book("SOL-PERP", depth=20).subscribe().on_update(count_frame)
        await done.wait()
        return time.process_time() - began


async def read_bare(port: int, count: int) -> float:
    """Returns the CPU seconds in which the library alone reads so many messages."""
    async with websockets.connect(f"ws://127.0.0.1:{port}/ws", compression=None, ping_interval=None) as socket:
        await socket.send('{"id":1}')
        await socket.recv()
        began = time.process_time()
        for _ in range(count):
            await socket.recv()
        return time.process_time() - began


def time_without_socket(encoding: str, count: int) -> dict[str, float]:
    """Returns the CPU seconds of the snapshots and of the deltas among so many frames."""
    snapshot, *deltas = frames_of(encoding)
    decoder, book = FrameDecoder(), FollowedBook("book", 20)

    def apply(frame) -> None:
        book.apply_frame(frame_of(json.loads(frame)) if encoding == "json" else decoder.decode_frame(frame))
        book.view(is_following=True)

    seconds = {"snapshots": 0.0, "deltas": 0.0}
    for _ in range(count // (1 + len(deltas))):
        began = time.process_time()
        apply(snapshot)
        between = time.process_time()
        for delta in deltas:
            apply(delta)
        seconds["snapshots"] += between - began
        seconds["deltas"] += time.process_time() - between
    return seconds


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    encoding = "json" if "json" in sys.argv else "binary"
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(port, encoding), daemon=True)
    server.start()
    while port.value == 0:
        time.sleep(0.01)
    seconds = asyncio.run(follow(port.value, encoding, count))
    bare = asyncio.run(read_bare(port.value, count))
    server.terminate()
    parts = time_without_socket(encoding, count)
    deltas = count * 0.9
    report = {
        "websockets": websockets.__version__,
        "encoding": encoding,
        "deltasPerCpuSecond": round(deltas / (seconds - parts["snapshots"])),
        "withoutSocket": round(deltas / parts["deltas"]),
        "bareWebsockets": round(count / bare),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
