//! A reader that follows the protocol documentation and verifies everything it can.

use serde_json::{Map, Value};

/// Rows by the reader's key.
type Rows = Vec<Value>;

/// A reader's state of a topic.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Follower {
    pub(crate) channel: String,
    pub(crate) epoch: String,
    pub(crate) seq: u64,
    pub(crate) state: String,
    pub(crate) sides: [Rows; 2],
}

impl Follower {
    pub(crate) fn open(snapshot: &[u8]) -> Self {
        let frame = parse(snapshot);
        assert_eq!(frame["type"], "snapshot");
        let channel = text(&frame["channel"]);
        let sides = match channel.as_str() {
            "bbo" => ["bid", "ask"].map(|side| best(&frame[side])),
            _ => ["bids", "asks"].map(|side| frame[side].as_array().unwrap().clone()),
        };
        let follower = Self {
            channel,
            epoch: text(&frame["epoch"]),
            seq: frame["seq"].as_u64().unwrap(),
            state: text(&frame["state"]),
            sides,
        };
        follower.check(&frame);
        follower
    }

    /// Applies a delta, or a snapshot of another epoch.
    pub(crate) fn follow(&mut self, bytes: &[u8]) {
        let frame = parse(bytes);
        if frame["type"] == "snapshot" {
            assert_eq!(frame["reset"], true);
            assert_ne!(frame["epoch"], *self.epoch);
            *self = Self::open(bytes);
            return;
        }
        assert_eq!(frame["type"], "delta");
        assert_eq!(frame["epoch"], *self.epoch);
        assert_eq!(frame["prev"], self.seq, "no hole");
        let before = self.clone();
        for (index, [one, many]) in [["bid", "bids"], ["ask", "asks"]].iter().enumerate() {
            let rows = &mut self.sides[index];
            match self.channel.as_str() {
                "bbo" => *rows = best(&frame[*one]),
                "book" => take_levels(rows, &frame[*many], index == 0),
                _ => take_orders(rows, &frame[*many], index == 0),
            }
        }
        self.seq = frame["seq"].as_u64().unwrap();
        self.state = text(&frame["state"]);
        if before.sides == self.sides {
            assert_ne!(before.state, self.state, "a delta says something");
            assert!(self.seq >= before.seq);
        } else {
            assert!(self.seq > before.seq, "what is shown changes with the number only");
        }
        self.check(&frame);
    }

    fn check(&self, frame: &Map<String, Value>) {
        let mut parts = Vec::new();
        for index in 0..10 {
            for row in self.sides.iter().filter_map(|side| side.get(index)) {
                let [price, size] = price_and_size(row);
                parts.extend([price, size]);
            }
        }
        assert_eq!(frame["crc"].as_u64().unwrap(), u64::from(crc(parts.join(":").as_bytes())));
    }
}

/// Parses a frame; the text must equal the output of `JSON.stringify`.
pub(crate) fn parse(frame: &[u8]) -> Map<String, Value> {
    let value: Value = serde_json::from_slice(frame).unwrap();
    assert_eq!(serde_json::to_vec(&value).unwrap(), frame, "the text has no other form");
    value.as_object().unwrap().clone()
}

/// CRC-32 of zlib, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let mut rest = u32::MAX;
    for byte in bytes {
        rest ^= u32::from(*byte);
        for _ in 0..8 {
            rest = (rest >> 1) ^ if rest & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !rest
}

fn take_levels(rows: &mut Rows, changes: &Value, descends: bool) {
    for level in changes.as_array().unwrap() {
        let had = rows.iter().position(|row| row[0] == level[0]);
        if level[1] == "0" {
            assert_eq!(level[2], serde_json::json!({}));
            rows.remove(had.expect("what is removed was there"));
            continue;
        }
        match had {
            Some(index) => {
                assert_ne!(rows[index], *level, "what is told has changed");
                rows[index] = level.clone();
            }
            None => rows.push(level.clone()),
        }
    }
    let price = |row: &Value| number(&row[0]);
    rows.sort_by_key(|row| if descends { u64::MAX - price(row) } else { price(row) });
}

fn take_orders(rows: &mut Rows, changes: &Value, descends: bool) {
    let list = |name: &str| changes[name].as_array().unwrap();
    let find = |rows: &Rows, maker: &Value, id: &Value| {
        rows.iter().position(|row| row["maker"] == *maker && row["orderId"] == *id)
    };
    for key in list("remove") {
        let index = find(rows, &key[0], &key[1]).expect("what is removed was there");
        rows.remove(index);
    }
    for order in list("change") {
        let index = find(rows, &order["maker"], &order["orderId"]).expect("it was there");
        assert_ne!(rows[index], *order, "what is told has changed");
        rows[index] = order.clone();
    }
    for order in list("add") {
        assert_eq!(find(rows, &order["maker"], &order["orderId"]), None, "it was not there");
        rows.push(order.clone());
    }
    rows.sort_by_key(|row| {
        let price = number(&row["price"]);
        let maker = bs58::decode(text(&row["maker"])).into_vec().unwrap();
        let place = if descends { u64::MAX - price } else { price };
        (place, row["slot"].as_u64().unwrap(), row["orderId"].as_u64().unwrap(), maker)
    });
}

fn best(pair: &Value) -> Rows {
    if pair.is_null() { Vec::new() } else { vec![pair.clone()] }
}

fn price_and_size(row: &Value) -> [String; 2] {
    match row.as_array() {
        Some(level) => [text(&level[0]), text(&level[1])],
        None => [text(&row["price"]), text(&row["size"])],
    }
}

fn number(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
