"""Gives the recorded streams of test/vectors/stream to the book of follow.py, and compares what it finds.

    vectors.py FOLDER
"""

import json
import pathlib
import sys

from follow import Book, Breach


def found(subscribe, frames):
    book = Book(subscribe["channel"], subscribe.get("depth", 50))
    breaches = []
    is_waiting = False
    slot = None
    for index, frame in enumerate(frames):
        if is_waiting and frame["type"] != "snapshot":
            continue
        is_waiting = False
        try:
            book.apply(frame)
            slot = frame["slot"]
        except Breach as breach:
            breaches.append({"frame": index, "rule": breach.rule})
            book.is_whole = False
            is_waiting = True
    if not book.is_whole:
        return {"breaches": breaches, "book": None}
    bids, asks = book.shown
    head = {"epoch": book.epoch, "seq": book.seq, "slot": slot, "state": book.state}
    return {"breaches": breaches, "book": {**head, "bids": bids, "asks": asks}}


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.jsonl"))
    wrong = []
    for file in files:
        head, *frames, last = [json.loads(line) for line in file.read_text().splitlines()]
        if found(head["subscribe"], frames) != last["expect"]:
            wrong.append(head["case"])
    print(json.dumps({"cases": len(files), "wrong": wrong}))
    sys.exit(1 if wrong else 0)


main()
