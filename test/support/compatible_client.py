"""A client of the compatible channels in Python: sends each line of standard input as a message,
and prints each message that comes as a line, the text in `data` parsed as well."""

import asyncio
import json
import sys

import websockets


def parsed_twice(text):
    message = json.loads(text)
    if isinstance(message.get("data"), str):
        message["data"] = json.loads(message["data"])
    return message


async def print_all(socket):
    async for text in socket:
        print(json.dumps(parsed_twice(text)), flush=True)


async def main(url):
    loop = asyncio.get_running_loop()
    async with websockets.connect(url) as socket:
        printing = asyncio.create_task(print_all(socket))
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            await socket.send(line.strip())
        await socket.close()
        await printing


asyncio.run(main(sys.argv[1]))
