"""CPU time of the Python client for a delta of depth 20: read from a socket, decoded, checked, shown.

    python3 bench/client/python-deltas.py [DELTAS] [json]

Another process sends the snapshot and the deltas of a topic in test/vectors/binary, again and again. PYTHONPATH is `python`.
"""

import asyncio
import json
import multiprocessing
import sys
import time
from pathlib import Path

import websockets
from slotbook import Client
from slotbook.binary import FrameDecoder
from slotbook.book import FollowedBook

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


def time_without_socket(count: int) -> float:
    frames = frames_of("binary")
    decoder, book = FrameDecoder(), FollowedBook("book", 20)
    began = time.process_time()
    for _ in range(count // len(frames)):
        for frame in frames:
            book.apply_frame(decoder.decode_frame(frame))
            book.view(is_following=True)
    return time.process_time() - began


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    encoding = "json" if "json" in sys.argv else "binary"
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(port, encoding), daemon=True)
    server.start()
    while port.value == 0:
        time.sleep(0.01)
    seconds = asyncio.run(follow(port.value, encoding, count))
    server.terminate()
    report = {"websockets": websockets.__version__, "encoding": encoding, "frames": count}
    report["framesPerCpuSecond"] = round(count / seconds)
    report["withoutSocket"] = round(count / time_without_socket(count))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
