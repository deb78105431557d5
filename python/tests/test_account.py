"""An account over the channel `user`: followed, resumed, broken, refused."""

import asyncio
import unittest
from typing import Any

from scripted_service import ScriptedService
from slotbook import AccountView, Client, SlotbookError, Subscription

TOPIC = "user:KEY"
VERSION = {"epoch": "e1", "slot": 7, "state": "live", "topic": TOPIC, "channel": "user"}
ORDER = {"orderId": 7, "marketName": "SOL-PERP", "priceNow": "84990000", "ordersAhead": 3, "leftOut": None}
SNAPSHOT = {
    **{"type": "snapshot", "id": 1, **VERSION, "seq": 10, "ts": 10, "reset": False},
    **{"account": "KEY", "authority": "WALLET", "subAccountId": 0, "name": "12"},
    **{"orders": [ORDER], "positions": [], "balances": [], "margin": {"health": 79, "netUsdValue": "-5"}},
}


def delta(prev: int, seq: int, **members: Any) -> dict[str, Any]:
    orders = {"set": [], "remove": []}
    return {"type": "delta", **VERSION, "prev": prev, "seq": seq, "ts": seq, "orders": orders, "fills": [], "trades": [], **members}


class Accounts(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.service = await self.enterAsyncContext(ScriptedService())
        self.repairs: list[str] = []
        client = Client(self.service.url, on_repair=lambda violation: self.repairs.append(violation.rule))
        self.client = await self.enterAsyncContext(client)
        self.account = self.client.account("KEY").subscribe()

    async def view_at(self, seq: int, subscription: Subscription[AccountView] | None = None) -> AccountView:
        async with asyncio.timeout(30):
            async for view in subscription or self.account:
                if view.seq == seq and view.is_following:
                    return view
        raise AssertionError("the subscription has ended")

    async def test_orders_change_and_amounts_are_integers(self) -> None:
        await self.service.accept(TOPIC)
        await self.service.send(SNAPSHOT)
        first = await self.view_at(10)
        self.assertEqual((first.name, first.orders[0]["price_now"], first.orders[0]["left_out"]), ("12", 84_990_000, None))
        self.assertEqual(first.margin, {"health": 79, "net_usd_value": -5})
        fill = {"orderId": 7, "marketName": "SOL-PERP", "direction": "long", "base": "2", "quote": "3"}
        changed = {"set": [{**ORDER, "orderId": 8}], "remove": [7]}
        await self.service.send(delta(10, 11, orders=changed, fills=[fill], margin=None))
        second = await self.view_at(11)
        self.assertEqual([order["order_id"] for order in second.orders], [8])
        self.assertEqual((second.fills[0]["base"], second.margin), (2, None))
        self.assertEqual(first.orders[0]["order_id"], 7)

    async def test_a_cut_and_a_gap_are_resumed(self) -> None:
        await self.service.accept(TOPIC)
        await self.service.send(SNAPSHOT)
        await self.view_at(10)
        self.service.cut()
        message = await self.service.accept(TOPIC)
        self.assertEqual(message["resume"], {"epoch": "e1", "seq": 10})
        await self.service.send(delta(12, 13))
        message = await self.service.accept(TOPIC)
        self.assertEqual(message["resume"], {"epoch": "e1", "seq": 10})
        await self.service.send(delta(10, 12, reason="closed"), delta(12, 13))
        self.assertEqual((await self.view_at(13)).reason, None)
        self.assertEqual(self.repairs, ["gap"])

    async def test_fills_come_once_though_the_connection_is_lost_or_a_delta_comes_again(self) -> None:
        await self.service.accept(TOPIC)
        await self.service.send(SNAPSHOT)
        await self.view_at(10)
        told: list[int] = []
        self.account.on_update(lambda view: told.extend(fill["base"] for fill in view.fills))
        fill = {"orderId": 7, "marketName": "SOL-PERP", "direction": "long", "base": "2", "quote": "3"}
        await self.service.send(*[delta(10, 11, fills=[fill])] * 2)
        await self.view_at(11)
        self.service.cut()
        await self.service.accept(TOPIC)
        await self.service.send(delta(11, 12))
        await self.view_at(12)
        self.assertEqual(told, [2])

    async def test_an_epoch_of_digits_is_resumed_as_a_text(self) -> None:
        await self.service.accept(TOPIC)
        await self.service.send({**SNAPSHOT, "epoch": "00123456"})
        await self.view_at(10)
        self.service.cut()
        self.assertEqual((await self.service.accept(TOPIC))["resume"], {"epoch": "00123456", "seq": 10})

    async def need_snapshot(self, broken: dict[str, Any]) -> None:
        await self.service.accept(TOPIC)
        await self.service.send(SNAPSHOT)
        await self.view_at(10)
        await self.service.send(broken)
        self.assertNotIn("resume", await self.service.accept(TOPIC))
        await self.service.send({**SNAPSHOT, "epoch": "e2", "seq": 20})
        await self.view_at(20)

    async def test_another_epoch_needs_a_snapshot(self) -> None:
        await self.need_snapshot({**delta(10, 11), "epoch": "e2"})
        self.assertEqual(self.repairs, ["epoch"])

    async def test_a_malformed_delta_is_resumed_by_nothing_but_a_snapshot(self) -> None:
        broken = delta(10, 11)
        del broken["orders"]
        await self.need_snapshot(broken)
        self.assertEqual(self.repairs, ["malformed"])

    async def test_an_unknown_account_ends_it_with_the_code(self) -> None:
        message = await self.service.next_message("subscribe")
        await self.service.send({"type": "error", "id": message["id"], "code": "UNKNOWN_ACCOUNT", "message": "no such account"})
        with self.assertRaisesRegex(SlotbookError, "UNKNOWN_ACCOUNT"):
            async for _ in self.account:
                self.fail("a refused account has a view")
