"""The recorded streams and frames of test/vectors, given to the book and to the decoder."""

import json
import unittest
from decimal import Decimal
from pathlib import Path
from typing import Any

from slotbook import limits
from slotbook.binary import FrameDecoder
from slotbook.book import FollowedBook
from slotbook.errors import ProtocolViolation
from slotbook.frames import frame_of, level_of, order_of

VECTORS = Path(__file__).parents[2] / "test" / "vectors"


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line, parse_float=Decimal) for line in file.read_text(encoding="utf-8").splitlines()]


def found_in(subscribe: dict[str, Any], frames: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], FollowedBook[Any]]:
    """Follows a stream as a client does that asks for a snapshot after each frame that breaks a rule."""
    book = FollowedBook[Any](subscribe["channel"], subscribe.get("depth", 50))
    breaches: list[dict[str, Any]] = []
    for index, message in enumerate(frames):
        if breaches and book.resume_point is None and message["type"] != "snapshot":
            continue
        try:
            book.apply_frame(frame_of(message))
        except ProtocolViolation as violation:
            breaches.append({"frame": index, "rule": violation.rule})
            book.invalidate()
    return breaches, book


class Streams(unittest.TestCase):
    def test_every_stream_has_the_breaches_and_the_book_that_it_should(self) -> None:
        files = sorted((VECTORS / "stream").glob("*.jsonl"))
        self.assertGreater(len(files), 20)
        for file in files:
            head, *frames, last = lines_of(file)
            expected = last["expect"]
            with self.subTest(head["case"]):
                breaches, book = found_in(head["subscribe"], frames)
                self.assertEqual(breaches, expected["breaches"])
                if expected["book"] is None:
                    self.assertIsNone(book.resume_point)
                    continue
                self.assertIsNotNone(book.resume_point)
                view = book.view(is_following=True)
                assert view is not None
                for name in ("epoch", "seq", "slot", "state"):
                    self.assertEqual(getattr(view, name), expected["book"][name])
                read = {"book": level_of, "l3": order_of}.get(head["subscribe"]["channel"], lambda row: tuple(map(int, row)))
                for name in ("bids", "asks"):
                    self.assertEqual(list(getattr(view, name)), [read(row) for row in expected["book"][name]])

    def test_an_order_may_have_any_expiry(self) -> None:
        _, snapshot, *_ = lines_of(VECTORS / "stream" / "clean-l3.jsonl")
        snapshot["bids"][0]["maxTs"] = 2**63 - 1
        self.assertEqual(frame_of(snapshot).bids[0].max_ts, 2**63 - 1)  # type: ignore[union-attr]


class Bytes(unittest.TestCase):
    def is_refused(self, known: FrameDecoder, data: bytes) -> bool:
        decoder = FrameDecoder()
        decoder.streams = dict(known.streams)
        try:
            decoder.decode_frame(data)
        except ProtocolViolation:
            return True
        return False

    def test_frames_are_those_of_their_json(self) -> None:
        for name in ("frames", "exact"):
            decoder = FrameDecoder()
            for vector in lines_of(VECTORS / "binary" / f"{name}.jsonl"):
                frame = decoder.decode_frame(bytes.fromhex(vector["hex"]))
                twin = frame_of(vector["frame"])
                for name in {*vars(frame), *vars(twin)}:
                    self.assertEqual(getattr(frame, name), getattr(twin, name))

    def test_the_streams_of_restarts_are_forgotten_the_oldest_first(self) -> None:
        vectors = [one for one in lines_of(VECTORS / "binary" / "frames.jsonl") if one["frame"]["type"] == "snapshot"]
        decoder, first, second = FrameDecoder(), *(bytes.fromhex(vector["hex"]) for vector in vectors[:2])
        decoder.decode_frame(second)
        kept = next(iter(decoder.streams.items()))
        decoder.streams.update({-number: kept[1] for number in range(1, limits.STREAMS_MAX)})
        decoder.decode_frame(second)
        decoder.decode_frame(first)
        self.assertEqual(len(decoder.streams), limits.STREAMS_MAX)
        self.assertIn(kept[0], decoder.streams)
        self.assertNotIn(-1, decoder.streams)

    def test_nothing_of_a_cut_or_spoilt_frame_is_read(self) -> None:
        decoder, spoilt, refused = FrameDecoder(), 0, 0
        for vector in lines_of(VECTORS / "binary" / "frames.jsonl"):
            data = bytes.fromhex(vector["hex"])
            decoder.decode_frame(data)
            for length in range(len(data)):
                self.assertTrue(self.is_refused(decoder, data[:length]))
            for at in range(len(data)):
                changed = bytearray(data)
                changed[at] ^= 1 << at % 8
                spoilt += 1
                refused += self.is_refused(decoder, bytes(changed))
        # Others are frames of other numbers, which the checksum finds.
        self.assertGreater(refused, spoilt / 5)

    def test_hostile_frames_are_refused(self) -> None:
        decoder = FrameDecoder()
        vectors = lines_of(VECTORS / "binary" / "hostile.jsonl")
        self.assertGreater(len(vectors), 40)
        for vector in vectors:
            data = bytes.fromhex(vector["hex"])
            with self.subTest(vector["name"]):
                self.assertEqual(self.is_refused(decoder, data), not vector["taken"])
            if vector["taken"]:
                decoder.decode_frame(data)


if __name__ == "__main__":
    unittest.main()
