//! The places of an account's orders in long queues.

use crate::common::{Bench, ORACLE, OrderBytes, lazer, user};
use slotbook_book::{AccountOrder, OrderRow, QueueScratch, Side};
use slotbook_protocol::model::units::Pubkey;

const MAKERS: usize = 24;

fn maker(number: usize) -> Pubkey {
    Pubkey([u8::try_from(number + 100).expect("few makers"); 32])
}

/// Numbers by a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % count
    }

    /// An order at one of few prices, fixed or by the oracle, some of which meet.
    fn order(&mut self, id: u32) -> OrderBytes {
        let size = 10 + 5 * self.below(3);
        let ticks = self.below(3);
        let order = if self.below(2) == 0 {
            OrderBytes::limit(Side::Bid, 970 + 10 * ticks, size, id)
        } else {
            let below = i32::try_from(30 - 10 * ticks + self.below(2)).expect("a few ticks");
            OrderBytes::offset(Side::Bid, -below, size, id)
        };
        order.placed_at(900 + self.below(20))
    }
}

/// The places of all makers equal the queues of the whole side.
fn expect_places(bench: &Bench, scratch: &mut QueueScratch) {
    let mut rows: Vec<OrderRow> = Vec::new();
    bench.book.orders(bench.perp(), Side::Bid, usize::MAX, &mut rows);
    let mut placed = 0;
    for maker in (0..MAKERS).map(maker) {
        let orders = bench.book.account_orders(&maker, scratch);
        for AccountOrder { open, price, ahead, distance, .. } in &orders {
            let ahead = ahead.expect("all orders are shown");
            let is_it = |row: &OrderRow| (row.maker, row.order_id) == (maker, open.order.order_id);
            let at = rows.iter().position(is_it).expect("the side has the order");
            let first = rows.iter().position(|row| row.price == rows[at].price).expect("a first");
            assert_eq!((ahead.orders, ahead.size), ((at - first) as u64, rows[at].queue));
            assert_eq!(*price, Some(rows[at].price));
            assert_eq!(*distance, Some(rows[0].price.0 - rows[at].price.0));
        }
        placed += orders.len();
    }
    assert_eq!(placed, rows.len());
}

#[test]
fn places_in_long_queues_follow_every_change_of_an_order_and_of_the_oracle() {
    let mut bench = Bench::new();
    let mut dice = Dice(1);
    let mut accounts: Vec<Vec<OrderBytes>> =
        (0..MAKERS).map(|_| (1..=32).map(|id| dice.order(id)).collect()).collect();
    for (number, orders) in accounts.iter().enumerate() {
        bench.put(maker(number), &user(orders));
    }
    let mut scratch = QueueScratch::default();
    let mut next_id = 33;
    for turn in 0..120usize {
        expect_places(&bench, &mut scratch);
        let changed = turn * 7 % MAKERS;
        let order = &mut accounts[changed][turn * 5 % 32];
        match turn % 4 {
            0 => {
                let price = 970 + 10 * dice.below(6);
                bench.put(ORACLE, &lazer(price.cast_signed(), bench.slot));
            }
            // Another order in the slot, which differs in its id and its time alone.
            1 => {
                order.u32(76, next_id).u64(0, 900 + dice.below(20));
                next_id += 1;
            }
            2 => *order = order.filled(5),
            _ => {
                *order = dice.order(next_id);
                next_id += 1;
            }
        }
        bench.put(maker(changed), &user(&accounts[changed]));
        if turn % 3 == 0 {
            bench.book.end_turn(turn as u64 + 1);
        }
    }
}
