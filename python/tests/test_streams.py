"""A client follows, is cut, is sent broken frames, is refused: by the states of docs/streaming-client.md."""

import asyncio
import socket
import unittest
from typing import Any

from scripted_service import ScriptedService, frames_of
from slotbook import BookView, Client, Level, Moment, ProtocolViolation, SlotbookError, Subscription

TOPIC = "book:SOL-PERP:10"


async def view_at(subscription: Subscription[BookView[Level]], seq: int, *, is_following: bool = True) -> BookView[Level]:
    """The next book of a number."""
    async with asyncio.timeout(30):
        async for view in subscription:
            if view.seq == seq and view.is_following == is_following:
                return view
    raise AssertionError("the subscription has ended")


class Streams(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.service = await self.enterAsyncContext(ScriptedService())
        self.repairs: list[str] = []
        self.retries: list[str] = []
        self.frames = frames_of("clean")

    async def follow(self, **options: Any) -> Subscription[BookView[Level]]:
        told: dict[str, Any] = {
            "on_repair": lambda violation: self.repairs.append(violation.rule),
            "on_retry": lambda error: self.retries.append(error.code),
            **options,
        }
        self.client = await self.enterAsyncContext(Client(self.service.url, encoding="json", **told))
        return self.client.book("SOL-PERP", depth=10).subscribe()

    async def follow_three(self) -> Subscription[BookView[Level]]:
        book = await self.follow()
        self.assertNotIn("resume", await self.service.accept(TOPIC))
        await self.service.send(*self.frames[:3])
        await view_at(book, self.frames[2]["seq"])
        return book

    async def test_a_lost_connection_is_resumed_where_the_book_was(self) -> None:
        book = await self.follow_three()
        last = self.frames[2]
        self.service.cut()
        lost = await view_at(book, last["seq"], is_following=False)
        self.assertEqual(len(lost.bids), 10)
        message = await self.service.accept(TOPIC)
        self.assertEqual(message["resume"], {"epoch": last["epoch"], "seq": last["seq"]})
        await self.service.send(self.frames[3])
        await view_at(book, self.frames[3]["seq"])
        self.assertEqual((self.repairs, self.service.connects), ([], 2))

    async def test_a_gap_is_resumed_on_the_same_connection(self) -> None:
        book = await self.follow_three()
        await self.service.send(self.frames[4])
        message = await self.service.accept(TOPIC)
        self.assertEqual(message["resume"]["seq"], self.frames[2]["seq"])
        await self.service.send(self.frames[3], self.frames[4])
        await view_at(book, self.frames[4]["seq"])
        self.assertEqual((self.repairs, self.service.connects), (["gap"], 1))

    async def test_a_wrong_checksum_needs_a_snapshot_and_its_rows_are_never_shown(self) -> None:
        book = await self.follow_three()
        before = book.newest
        await self.service.send({**self.frames[3], "crc": 1})
        self.assertNotIn("resume", await self.service.accept(TOPIC))
        assert book.newest is not None and before is not None
        self.assertEqual(book.newest, before._replace(is_following=False))
        await self.service.send(self.frames[0])
        await view_at(book, self.frames[0]["seq"])
        self.assertEqual(self.repairs, ["crc"])

    async def test_a_book_that_breaks_twice_in_a_second_gets_another_connection(self) -> None:
        await self.follow_three()
        await self.service.send({**self.frames[3], "crc": 1})
        await self.service.accept(TOPIC)
        await self.service.send({**self.frames[0], "crc": 1})
        self.assertNotIn("resume", await self.service.accept(TOPIC))
        self.assertEqual((self.repairs, self.service.connects), (["crc", "crc"], 2))

    async def test_malformed_members_break_a_topic_and_what_is_no_json_the_connection(self) -> None:
        await self.follow_three()
        await self.service.send({**self.frames[3], "seq": "7"})
        self.assertNotIn("resume", await self.service.accept(TOPIC))
        await self.service.socket.send("[" * 100_000)
        await self.service.accept(TOPIC)
        self.assertEqual((self.repairs, self.service.connects), (["malformed", "malformed"], 2))

    async def test_a_malformed_error_ends_the_connection_and_no_subscription(self) -> None:
        book = await self.follow_three()
        await self.service.send({"type": "error", "topic": TOPIC, "code": 7, "message": "a text"})
        await self.service.accept(TOPIC)
        self.assertEqual((self.repairs, self.service.connects), (["malformed"], 2))
        await self.service.send(self.frames[0])
        await view_at(book, self.frames[0]["seq"])

    async def test_bytes_that_are_no_frame_end_the_connection_and_nothing_is_resumed(self) -> None:
        await self.follow_three()
        await self.service.send(b"\x95\x00\x00")
        self.assertNotIn("resume", await self.service.accept(TOPIC))
        self.assertEqual((self.repairs, self.service.connects), (["malformed"], 2))

    async def test_silence_ends_a_connection(self) -> None:
        book = await self.follow(silence_s=0.3)
        await self.service.accept(TOPIC)
        await self.service.send(self.frames[0])
        await view_at(book, self.frames[0]["seq"])
        self.assertIn("resume", await self.service.accept(TOPIC))
        self.assertEqual(self.repairs, ["silence"])

    async def test_frames_before_the_acknowledgement_are_of_the_subscription_before(self) -> None:
        book = await self.follow_three()
        await self.service.send(self.frames[4])
        message = await self.service.next_message("subscribe")
        await self.service.send(self.frames[5], {"type": "subscribed", "id": message["id"], "topic": TOPIC})
        await self.service.send(self.frames[3])
        await view_at(book, self.frames[3]["seq"])
        self.assertEqual(self.repairs, ["gap"])

    async def test_a_refusal_ends_a_subscription_and_a_limit_is_tried_again(self) -> None:
        book = await self.follow()
        message = await self.service.next_message("subscribe")
        error = {"type": "error", "id": message["id"], "message": "too many"}
        await self.service.send({**error, "code": "LIMIT_EXCEEDED"})
        message = await self.service.next_message("subscribe")
        await self.service.send({**error, "code": "UNKNOWN_MARKET", "id": message["id"]})
        with self.assertRaises(SlotbookError) as raised:
            async for _ in book:
                pass
        self.assertEqual((raised.exception.code, self.retries, book.is_open), ("UNKNOWN_MARKET", ["LIMIT_EXCEEDED"], False))

    async def test_equal_subscriptions_are_one_and_the_last_one_unsubscribes(self) -> None:
        first = await self.follow_three()
        second = self.client.book("sol-perp", depth=10).subscribe()
        self.assertEqual(second.newest, first.newest)
        first.close()
        await self.service.send(self.frames[3])
        await view_at(second, self.frames[3]["seq"])
        self.assertTrue(self.service.received.empty())
        second.close()
        with self.assertRaises(StopAsyncIteration):
            await second.__anext__()

    async def test_what_is_the_default_may_be_said(self) -> None:
        first = await self.follow_three()
        second = self.client.book("SOL-PERP", depth=10, grouping=1, include_vamm=False).subscribe()
        self.assertEqual(second.newest, first.newest)
        self.client.bbo("SOL-PERP").subscribe()
        self.assertEqual((await self.service.next_message("subscribe"))["channel"], "bbo")

    async def test_a_topic_that_is_closed_when_it_hears_of_its_gap_is_not_asked_for_again(self) -> None:
        book = await self.follow_three()
        self.client.bbo("SOL-PERP").subscribe()
        await self.service.next_message("subscribe")
        book.on_update(lambda view: None if view.is_following else book.close())
        await self.service.send(self.frames[4])
        await self.service.next_message("unsubscribe")
        self.client.l3("SOL-PERP").subscribe()
        self.assertEqual((await self.service.next_message("subscribe"))["channel"], "l3")

    async def test_a_callback_that_fails_ends_nothing(self) -> None:
        def fail(*_: object) -> None:
            raise LookupError

        with self.assertLogs("slotbook"):
            book = await self.follow(on_connection=fail, on_repair=fail)
            await self.service.accept(TOPIC)
            await self.service.send(self.frames[0], {**self.frames[1], "crc": 1})
            await self.service.accept(TOPIC)
            await self.service.send(self.frames[0])
            await view_at(book, self.frames[0]["seq"])
            self.service.cut()
            await self.service.accept(TOPIC)
        self.assertEqual(self.service.connects, 2)

    async def test_a_slow_loop_gets_the_newest_book_and_a_callback_every_one(self) -> None:
        book = await self.follow_three()
        seen: list[int] = []
        book.on_update(lambda view: seen.append(view.seq))
        with self.assertLogs("slotbook"):
            book.on_update(lambda view: view.no_such_member)  # type: ignore[attr-defined]
            await self.service.send(*self.frames[3:6])
            while book.newest is None or book.newest.seq < self.frames[5]["seq"]:
                await asyncio.sleep(0.01)
        self.assertEqual(seen, [frame["seq"] for frame in self.frames[2:6]])
        self.assertEqual((await book.__anext__()).seq, self.frames[5]["seq"])

    async def test_an_address_that_cannot_be_looked_up_is_tried_again(self) -> None:
        states: list[str] = []
        async with Client(f"http://{'a' * 70}", on_connection=states.append) as client:
            client.book("SOL-PERP").subscribe()
            async with asyncio.timeout(30):
                while states.count("connecting") < 2:
                    await asyncio.sleep(0.01)

    async def test_a_client_can_be_closed_in_each_turn_of_the_loop(self) -> None:
        """While it connects, while it is refused, and while the service ends its connection."""

        async def close_after(turns: int, client: Client) -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            await asyncio.wait_for(client.close(), 10)

        for turns in range(40):
            client = Client("http://127.0.0.1:1")
            client.bbo("SOL-PERP").subscribe()
            await close_after(turns, client)
            async with ScriptedService() as service:
                client = Client(service.url)
                client.bbo("SOL-PERP").subscribe()
                await close_after(turns, client)
            async with ScriptedService() as service:
                client = Client(service.url)
                client.bbo("SOL-PERP").subscribe()
                await service.next_message("subscribe")
                closing = asyncio.create_task(service.socket.close(1001))
                await close_after(turns, client)
                await closing

    async def test_a_replay_that_is_live_has_the_silence_of_a_live_book(self) -> None:
        await self.follow(silence_s=0.3)
        await self.service.next_message("subscribe")
        replay = self.client.book("SOL-PERP", depth=10).replay(Moment(slot=1))
        seen: list[bool] = []
        replay.on_update(lambda view: seen.append(view.is_following))
        await self.service.accept(TOPIC)
        await self.service.send(self.frames[0], {"type": "live", "topic": TOPIC, "epoch": "e1", "seq": 1}, self.frames[0])
        async with asyncio.timeout(5):
            while seen != [True, True, False]:
                await asyncio.sleep(0.01)

    async def test_a_replay_without_a_loop_calls_back_with_every_book(self) -> None:
        await self.follow()
        seen: list[int] = []
        replay = self.client.book("SOL-PERP", depth=10).replay(Moment(slot=1))
        replay.on_update(lambda view: seen.append(view.seq))
        await self.service.next_message("subscribe")
        await self.service.accept(TOPIC)
        await self.service.send(*[self.frames[0]] * 600)
        async with asyncio.timeout(10):
            while len(seen) < 600:
                await asyncio.sleep(0.01)

    async def test_a_replay_that_waited_for_a_loop_goes_on_for_a_callback(self) -> None:
        await self.follow()
        await self.service.next_message("subscribe")
        replay = self.client.book("SOL-PERP", depth=10).replay(Moment(slot=1))
        await self.service.accept(TOPIC)
        await self.service.send(*[self.frames[0]] * 300)
        await asyncio.sleep(0.5)
        seen: list[int] = []
        replay.on_update(lambda view: seen.append(view.seq))
        async with asyncio.timeout(10):
            while len(seen) < 45:
                await asyncio.sleep(0.01)

    async def test_a_closed_client_has_ended_the_connections_of_its_replays(self) -> None:
        client = Client(self.service.url, encoding="json")
        for _ in range(2):
            client.book("SOL-PERP", depth=10).replay(Moment(slot=1))
            await self.service.accept(TOPIC)
        before = asyncio.all_tasks()
        await client.close()
        left = [task for task in before if "_stay_connected" in repr(task) and not task.done()]
        self.assertEqual(left, [])

    async def test_another_name_of_a_followed_market_is_refused(self) -> None:
        book = await self.follow_three()
        other = self.client.book("perp_0", depth=10).subscribe()
        await self.service.accept(TOPIC)
        with self.assertRaises(SlotbookError) as raised:
            await asyncio.wait_for(other.__anext__(), 5)
        self.assertEqual(raised.exception.code, "INVALID_OPTION")
        await self.service.send(self.frames[0], self.frames[1])
        await view_at(book, self.frames[1]["seq"])
        self.assertEqual((self.repairs, self.service.connects), ([], 1))

    async def test_the_pause_is_the_one_that_the_service_asks_for(self) -> None:
        await self.follow_three()
        await self.service.send({"type": "closing", "reconnectAfterMs": 700})
        began = asyncio.get_running_loop().time()
        await self.service.socket.close(1001)
        await self.service.accept(TOPIC)
        self.assertGreaterEqual(asyncio.get_running_loop().time() - began, 0.7)

    async def test_a_closed_client_and_wrong_options_are_errors(self) -> None:
        await self.follow()
        with self.assertRaises(SlotbookError) as raised:
            self.client.book("SOL-PERP", dept=10)  # type: ignore[call-arg]
        self.assertEqual(raised.exception.code, "INVALID_OPTION")
        await self.client.close()
        with self.assertRaises(SlotbookError) as raised:
            self.client.bbo("SOL-PERP").subscribe()
        self.assertEqual(raised.exception.code, "CLOSED")
        for url in ("", "127.0.0.1:8080", "ftp://host"):
            with self.assertRaises(SlotbookError):
                Client(url)


class Loops(unittest.TestCase):
    def test_a_client_goes_on_in_another_event_loop(self) -> None:
        """The first loop ends while a subscription is open."""
        frames = frames_of("clean")

        async def follow(client: Client | None) -> Client:
            async with ScriptedService(port) as service:
                client = client or Client(service.url, encoding="json")
                book = client.book("SOL-PERP", depth=10).subscribe()
                await service.accept(TOPIC)
                await service.send(frames[0])
                await view_at(book, frames[0]["seq"])
                return client

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        client = asyncio.run(follow(None))
        asyncio.run(follow(client))
        asyncio.run(client.close())
        asyncio.run(client.close())


class Violations(unittest.TestCase):
    def test_only_what_left_the_book_whole_is_resumed(self) -> None:
        rules = ("malformed", "noSnapshot", "epoch", "gap", "repeated", "seq", "absent", "depth", "empty", "order", "crc", "silence")
        self.assertEqual([rule for rule in rules if ProtocolViolation(rule, "").is_resumable], ["gap", "repeated", "silence"])


if __name__ == "__main__":
    unittest.main()
