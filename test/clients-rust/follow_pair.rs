//! Follows a book topic as JSON and as bytes over one socket, which is cut three times and goes on from where it was,
//! and compares both books at every number that both have. Prints a report as JSON.
//!
//! ```sh
//! cargo run -p slotbook-wire --example follow_pair -- 127.0.0.1:8080 \
//!     '{"type":"subscribe","channel":"book","market":"SOL-PERP","depth":20}' 60
//! ```

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use slotbook_wire::level::{SOURCES, Source};
use slotbook_wire::stream::binary::decode::{Body, CheckedRows, Rows, StreamIdentity, decode};

type Failure = Box<dyn Error>;

/// A price, and the size of each source there.
type Level = (u64, [u128; SOURCES]);

/// Connections of one run.
const CONNECTIONS: u32 = 4;

/// Books of a topic that are kept to be compared.
const HISTORY_MAX: usize = 1_024;

/// A service that says nothing for so long is gone.
const SILENCE: Duration = Duration::from_secs(30);

const MESSAGE_BYTES_MAX: u64 = 1 << 20;
const CHECKSUM_ROWS: usize = 10;

/// Opcodes of WebSocket frames (RFC 6455).
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// A WebSocket over TCP without compression, of messages that come in one frame.
struct Socket {
    stream: BufReader<TcpStream>,
}

impl Socket {
    fn connect(address: &str) -> Result<Self, Failure> {
        let mut stream = BufReader::new(TcpStream::connect(address)?);
        stream.get_mut().set_read_timeout(Some(SILENCE))?;
        write!(
            stream.get_mut(),
            "GET /ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c2xvdGJvb2stZm9sbG93cw==\r\n\r\n"
        )?;
        let mut line = String::new();
        stream.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 101") {
            return Err(format!("the service answered {}", line.trim_end()).into());
        }
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line)?;
        }
        Ok(Self { stream })
    }

    /// Sends a message of less than 64 KiB; the mask of a client is one of zeros.
    fn send(&mut self, opcode: u8, payload: &[u8]) -> Result<(), Failure> {
        let mut frame = vec![0x80 | opcode];
        match u8::try_from(payload.len()) {
            Ok(short @ ..=125) => frame.push(0x80 | short),
            _ => {
                frame.push(0x80 | 126);
                frame.extend(u16::try_from(payload.len())?.to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(payload);
        Ok(self.stream.get_mut().write_all(&frame)?)
    }

    /// The next message, with its opcode.
    fn receive(&mut self) -> Result<(u8, Vec<u8>), Failure> {
        loop {
            let mut head = [0; 2];
            self.stream.read_exact(&mut head)?;
            let length = match head[1] {
                126 => {
                    let mut bytes = [0; 2];
                    self.stream.read_exact(&mut bytes)?;
                    u64::from(u16::from_be_bytes(bytes))
                }
                127 => {
                    let mut bytes = [0; 8];
                    self.stream.read_exact(&mut bytes)?;
                    u64::from_be_bytes(bytes)
                }
                short => u64::from(short),
            };
            if length > MESSAGE_BYTES_MAX || head[0] & 0x80 == 0 {
                return Err(format!("a message of {length} bytes, or a part of one").into());
            }
            let mut payload = vec![0; usize::try_from(length)?];
            self.stream.read_exact(&mut payload)?;
            match head[0] & 0x0f {
                PING => self.send(PONG, &payload)?,
                CLOSE => return Err("the service has closed the socket".into()),
                opcode @ (TEXT | BINARY) => return Ok((opcode, payload)),
                _ => {}
            }
        }
    }
}

/// A frame in either encoding.
struct Frame {
    /// Bids first; `None` for a heartbeat. A level without a size is gone.
    rows: Option<[Vec<Level>; 2]>,
    /// `None` for all but a delta.
    prev: Option<u64>,
    seq: u64,
    epoch: String,
    crc: u64,
}

impl Frame {
    fn of_json(message: &Value) -> Result<Self, Failure> {
        let number = |name: &str| message[name].as_u64();
        let side = |name: &str| -> Result<Vec<_>, Failure> {
            let rows = message[name].as_array().ok_or("a side is missing")?;
            rows.iter().map(level_of).collect()
        };
        let is_heartbeat = message["type"] == "heartbeat";
        Ok(Self {
            rows: if is_heartbeat { None } else { Some([side("bids")?, side("asks")?]) },
            prev: number("prev"),
            seq: number("seq").ok_or("seq is missing")?,
            epoch: message["epoch"].as_str().ok_or("epoch is missing")?.to_owned(),
            crc: number("crc").unwrap_or(0),
        })
    }

    fn of_bytes(bytes: &[u8], streams: &mut HashMap<u32, StreamIdentity>) -> Result<Self, Failure> {
        let frame = decode(bytes, |id| streams.get(&id))?;
        let (prev, checked) = match frame.body {
            Body::Snapshot { identity, rows, .. } => {
                streams.insert(frame.id, identity);
                (None, Some(rows))
            }
            Body::Delta { prev, rows } => (Some(prev), Some(rows)),
            Body::Heartbeat => (None, None),
        };
        let epoch = streams[&frame.id].epoch.clone();
        let crc = checked.as_ref().map_or(0, |checked| u64::from(checked.crc));
        let rows = match checked {
            Some(CheckedRows { rows: Rows::Levels(sides), .. }) => Some(
                sides.map(|side| side.iter().map(|level| (level.price.0, level.sizes)).collect()),
            ),
            Some(_) => return Err("rows are no levels".into()),
            None => None,
        };
        Ok(Self { rows, prev, seq: frame.seq, epoch, crc })
    }
}

fn level_of(row: &Value) -> Result<Level, Failure> {
    let mut sizes = [0; SOURCES];
    for (size, source) in sizes.iter_mut().zip(Source::ALL) {
        if let Some(text) = row[2][source.name()].as_str() {
            *size = text.parse()?;
        }
    }
    let sum: u128 = row[1].as_str().ok_or("a size is no text")?.parse()?;
    if sum != sizes.iter().sum() {
        return Err(format!("the sources of {row} are not its size").into());
    }
    Ok((row[0].as_str().ok_or("a price is no text")?.parse()?, sizes))
}

/// The book of one topic.
#[derive(Default)]
struct Follower {
    /// Empty before the first snapshot.
    epoch: String,
    seq: u64,
    sides: [BTreeMap<u64, [u128; SOURCES]>; 2],
    /// The books at the last numbers.
    history: BTreeMap<(String, u64), String>,
    frames: u64,
    bytes: usize,
}

impl Follower {
    /// Applies a frame. Returns the book, unless it was a heartbeat.
    fn take(&mut self, frame: Frame) -> Result<Option<String>, Failure> {
        let Frame { rows, prev, seq, epoch, crc } = frame;
        let Some(rows) = rows else {
            let is_same = (epoch.as_str(), seq) == (self.epoch.as_str(), self.seq);
            return if is_same { Ok(None) } else { Err(format!("a heartbeat of {seq}").into()) };
        };
        match prev {
            None => self.sides = Default::default(),
            Some(prev) if epoch != self.epoch || prev > self.seq || seq < self.seq => {
                return Err(format!("{prev} to {seq} follows {}", self.seq).into());
            }
            Some(_) => {}
        }
        (self.epoch, self.seq) = (epoch, seq);
        for (side, rows) in self.sides.iter_mut().zip(rows) {
            for (price, sizes) in rows {
                if sizes != [0; SOURCES] {
                    side.insert(price, sizes);
                } else if side.remove(&price).is_none() {
                    return Err(format!("{price} was not there to go").into());
                }
            }
        }
        let own = self.checksum();
        if own != crc {
            return Err(format!("crc {own} here, {crc} there at {seq}").into());
        }
        Ok(Some(format!("{:?}", self.sides)))
    }

    fn checksum(&self) -> u64 {
        let [bids, asks] = &self.sides;
        let (mut bids, mut asks) = (bids.iter().rev(), asks.iter());
        let mut parts = Vec::new();
        for _ in 0..CHECKSUM_ROWS {
            for (price, sizes) in [bids.next(), asks.next()].into_iter().flatten() {
                parts.extend([price.to_string(), sizes.iter().sum::<u128>().to_string()]);
            }
        }
        u64::from(crc32fast::hash(parts.join(":").as_bytes()))
    }

    fn remember(&mut self, book: String) {
        self.history.insert((self.epoch.clone(), self.seq), book);
        if self.history.len() > HISTORY_MAX {
            self.history.pop_first();
        }
    }
}

/// A topic in both encodings, JSON first.
#[derive(Default)]
struct Pair {
    followers: [Follower; 2],
    /// Of all connections: a stream that is resumed on another one has no snapshot there.
    streams: HashMap<u32, StreamIdentity>,
    compared: u64,
    differences: Vec<u64>,
}

impl Pair {
    /// Follows over one connection, which ends without a close frame.
    fn follow(&mut self, address: &str, subscribe: &Value, lasts: Duration) -> Result<(), Failure> {
        let mut socket = Socket::connect(address)?;
        for (follower, encoding) in self.followers.iter().zip(["json", "binary"]) {
            let mut message = subscribe.clone();
            message["encoding"] = json!(encoding);
            if !follower.epoch.is_empty() {
                message["resume"] = json!({ "epoch": follower.epoch, "seq": follower.seq });
            }
            socket.send(TEXT, message.to_string().as_bytes())?;
        }
        let end = Instant::now() + lasts;
        while Instant::now() < end {
            let (opcode, payload) = socket.receive()?;
            let frame = if opcode == BINARY {
                Frame::of_bytes(&payload, &mut self.streams)?
            } else {
                let message: Value = serde_json::from_slice(&payload)?;
                match message["type"].as_str() {
                    Some("snapshot" | "delta" | "heartbeat") => Frame::of_json(&message)?,
                    Some("error") => return Err(message.to_string().into()),
                    _ => continue,
                }
            };
            self.take(usize::from(opcode == BINARY), frame, payload.len())?;
        }
        Ok(())
    }

    fn take(&mut self, encoding: usize, frame: Frame, bytes: usize) -> Result<(), Failure> {
        let [json, binary] = &mut self.followers;
        let (own, other) = if encoding == 0 { (json, binary) } else { (binary, json) };
        own.frames += 1;
        own.bytes += bytes;
        let Some(book) = own.take(frame)? else { return Ok(()) };
        if let Some(theirs) = other.history.get(&(own.epoch.clone(), own.seq)) {
            self.compared += 1;
            if *theirs != book {
                self.differences.push(own.seq);
            }
        }
        own.remember(book);
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [address, subscribe, seconds] = given.as_slice() else {
        return Err("usage: follow_pair HOST:PORT SUBSCRIBE SECONDS".into());
    };
    let subscribe: Value = serde_json::from_str(subscribe)?;
    let lasts = Duration::from_secs(seconds.parse()?) / CONNECTIONS;
    let mut pair = Pair::default();
    for _ in 0..CONNECTIONS {
        pair.follow(address, &subscribe, lasts)?;
    }
    let [json, binary] = &pair.followers;
    let report = json!({
        "frames": { "json": json.frames, "binary": binary.frames },
        "bytes": { "json": json.bytes, "binary": binary.bytes },
        "compared": pair.compared,
        "differences": pair.differences,
        "faults": [],
        "connects": CONNECTIONS,
    });
    println!("{report}");
    Ok(())
}
