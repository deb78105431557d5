//! A reader of binary frames by `docs/binary.md`: it returns the JSON frame that has the same content.

use serde_json::{Map, Value, json};
use slotbook_protocol::model::varint::unzigzag;

const STATES: [&str; 4] = ["rebuilding", "live", "lagging", "stale"];
const KINDS: [&str; 3] = ["snapshot", "delta", "heartbeat"];
const SOURCES: [&str; 3] = ["dlob", "vamm", "indicative"];

/// The identity of a snapshot, which the frames of its stream share.
#[derive(Clone)]
pub(crate) struct Stream {
    names: [String; 4],
    has_timing: bool,
    pub(crate) price_unit: u64,
    size_unit: u64,
}

/// Returns the stream of a frame and its JSON. `known` is the stream of the snapshot before; a snapshot needs none.
pub(crate) fn read_frame(bytes: &[u8], known: Option<&Stream>) -> (Stream, Value) {
    let (first, id) = (bytes[0], &bytes[1..5]);
    assert_eq!(first >> 4, 0b1001, "bytes of version 1");
    let kind = KINDS[usize::from(first >> 2 & 3)];
    let mut reader = Reader { rest: &bytes[5..], makers: Vec::new(), price: 0 };
    let stream = match known {
        Some(stream) if kind != "snapshot" => stream.clone(),
        _ => reader.stream(id),
    };
    let [topic, channel, market, epoch] = &stream.names;
    let mut frame = Map::new();
    frame.insert("type".into(), kind.into());
    frame.insert("topic".into(), topic.clone().into());
    frame.insert("epoch".into(), epoch.clone().into());
    frame.insert("state".into(), STATES[usize::from(first & 3)].into());
    let seq = reader.varint();
    frame.insert("seq".into(), seq.into());
    if kind == "delta" {
        frame.insert("prev".into(), (seq - reader.varint()).into());
    }
    let slot = reader.varint();
    frame.insert("slot".into(), slot.into());
    frame.insert("ts".into(), reader.varint().into());
    if kind != "heartbeat" {
        frame.insert("channel".into(), channel.clone().into());
        frame.insert("market".into(), market.clone().into());
        if stream.has_timing {
            frame.insert("recvNs".into(), reader.wide().to_string().into());
            frame.insert("sendNs".into(), reader.wide().to_string().into());
        }
        if kind == "snapshot" {
            frame.insert("reset".into(), (reader.byte() == 1).into());
            let id = reader.text();
            if !id.is_empty() {
                frame.insert("id".into(), serde_json::from_str(&id).unwrap());
            }
        }
        let sides = reader.sides(&stream, (slot, kind == "delta"));
        let names = if channel == "bbo" { ["bid", "ask"] } else { ["bids", "asks"] };
        frame.extend(names.into_iter().map(str::to_owned).zip(sides));
        frame.insert("crc".into(), u32::from_le_bytes(reader.taken()).into());
    }
    assert!(reader.rest.is_empty(), "nothing follows a frame");
    (stream, frame.into())
}

/// The rest of a frame, the makers that it has named and the price before.
struct Reader<'a> {
    rest: &'a [u8],
    makers: Vec<String>,
    price: u64,
}

impl Reader<'_> {
    fn taken<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.rest.split_first_chunk().unwrap();
        self.rest = rest;
        *taken
    }

    fn byte(&mut self) -> u8 {
        let [byte] = self.taken();
        byte
    }

    fn wide(&mut self) -> u128 {
        let mut value = 0;
        for index in 0.. {
            let byte = self.byte();
            value |= u128::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                assert!(byte != 0 || index == 0, "the shortest form");
                break;
            }
        }
        value
    }

    fn long(&mut self) -> u64 {
        self.wide().try_into().unwrap()
    }

    fn varint(&mut self) -> u64 {
        let value = self.long();
        assert!(value < 1 << 53, "a double represents it");
        value
    }

    fn text(&mut self) -> String {
        let (text, rest) = self.rest[1..].split_at(usize::from(self.rest[0]));
        assert!(self.rest[0] < 0x80, "a varint of one byte");
        self.rest = rest;
        String::from_utf8(text.to_vec()).unwrap()
    }

    fn stream(&mut self, id: &[u8]) -> Stream {
        let block = self.rest;
        let stream = Stream {
            names: std::array::from_fn(|_| self.text()),
            has_timing: self.byte() == 1,
            price_unit: self.varint(),
            size_unit: self.varint(),
        };
        let crc = crc32fast::hash(&block[..block.len() - self.rest.len()]);
        assert_eq!(crc.to_le_bytes(), *id, "the stream is the checksum of its identity");
        stream
    }

    fn sides(&mut self, stream: &Stream, (slot, is_delta): (u64, bool)) -> [Value; 2] {
        match stream.names[1].as_str() {
            "l3" if is_delta => std::array::from_fn(|_| {
                json!({
                    "add": self.orders(stream, slot), "change": self.orders(stream, slot),
                    "remove": self.list(|reader| json!([reader.maker(), reader.varint()])),
                })
            }),
            "l3" => std::array::from_fn(|_| self.orders(stream, slot)),
            channel => {
                let bids = self.levels(stream, (0, -1));
                let best = bids.first().map_or(0, |(price, ..)| *price);
                [bids, self.levels(stream, (best, 1))].map(|levels| side_of(channel, levels))
            }
        }
    }

    /// Reads the levels of a side as prices and sizes by source.
    fn levels(&mut self, stream: &Stream, (first, sign): (u64, i64)) -> Vec<(u64, [u128; 3])> {
        let mut levels = Vec::new();
        self.price = first;
        loop {
            let head = self.varint();
            if head == 0 {
                return levels;
            }
            if head & 3 == 3 {
                assert_eq!(head, 3);
                self.price = self.long();
            } else {
                self.price_after(sign * unzigzag(head >> 2), stream);
            }
            let sizes = match head & 3 {
                0 => [0; 3],
                1 => [self.lots(stream), 0, 0],
                _ => {
                    let named = self.byte();
                    [0, 1, 2].map(|bit| if named >> bit & 1 == 1 { self.wide() } else { 0 })
                }
            };
            levels.push((self.price, sizes));
        }
    }

    fn price_after(&mut self, units: i64, stream: &Stream) {
        let away = i128::from(units) * i128::from(stream.price_unit);
        self.price = u64::try_from(i128::from(self.price) + away).unwrap();
    }

    fn lots(&mut self, stream: &Stream) -> u128 {
        u128::from(self.varint()) * u128::from(stream.size_unit)
    }

    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Value) -> Value {
        (0..self.varint()).map(|_| item(self)).collect()
    }

    fn orders(&mut self, stream: &Stream, slot: u64) -> Value {
        self.list(|reader| reader.order(stream, slot))
    }

    fn order(&mut self, stream: &Stream, slot: u64) -> Value {
        let flags = self.byte();
        let has = |flag| flags & flag != 0;
        if has(8) {
            self.price = self.long();
        } else {
            let units = unzigzag(self.varint());
            self.price_after(units, stream);
        }
        let mut size = || if has(16) { self.wide() } else { self.lots(stream) };
        let (size, queue) = (size(), size());
        let (maker, id) = (self.maker(), self.varint());
        let placed = slot.wrapping_sub(unzigzag(self.varint()).cast_unsigned());
        let mut signed = |flag| if has(flag) { unzigzag(self.long()) } else { 0 };
        json!({
            "oraclePriceOffset": signed(32).to_string(), "maxTs": signed(64),
            "price": self.price.to_string(), "size": size.to_string(), "queue": queue.to_string(),
            "maker": maker, "orderId": id, "slot": placed, "reduceOnly": has(1),
            "postOnly": has(2), "signedMsg": has(4),
        })
    }

    fn maker(&mut self) -> String {
        let ago = usize::try_from(self.varint()).unwrap();
        assert!(ago <= 64, "only new keys are named by their age");
        if ago == 0 {
            let key: [u8; 32] = self.taken();
            self.makers.push(bs58::encode(key).into_string());
        }
        self.makers[self.makers.len() - ago.max(1)].clone()
    }
}

fn side_of(channel: &str, levels: Vec<(u64, [u128; 3])>) -> Value {
    let rows = levels.into_iter().map(|(price, sizes)| {
        let size = sizes.iter().sum::<u128>().to_string();
        if channel == "bbo" {
            return json!([price.to_string(), size]);
        }
        let named = SOURCES.into_iter().zip(sizes).filter(|(_, size)| *size > 0);
        let sources: Map<_, _> =
            named.map(|(name, size)| (name.to_owned(), size.to_string().into())).collect();
        json!([price.to_string(), size, sources])
    });
    if channel != "bbo" {
        return rows.collect();
    }
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() <= 1);
    rows.into_iter().next().unwrap_or_default()
}
