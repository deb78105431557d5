//! Many WebSocket readers that do nothing but drain, in one thread. One command a line on standard
//! input, one JSON response a line on standard output:
//!
//! - `connect PORT COUNT DEFLATE`: DEFLATE is `plain` or `deflate`;
//! - `send TEXT`: one message from every reader, as base64;
//! - `expect COUNT`: answers once so many books came since the last `expect` or `taken`;
//! - `taken`: the books since then, and their bytes;
//! - `capture`, `captured`: payloads of the first reader in between, as base64;
//! - `watch`, `times`: when the first reader had each book in between, nanoseconds;
//! - `mark TEXT`, `seen`: `[READER, DIGITS, NANOSECONDS]` of each book with this text at some
//!   readers, with the digits after it;
//! - `close`.

mod reader;

use std::io::{self, BufRead as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mio::{Events, Interest, Poll, Token, Waker};
use rustix::time::{ClockId, clock_gettime};

use reader::{Reader, Wanted, find, masked_frame};

/// Acknowledgements, beats and errors are shorter than this, books and their deltas are longer.
const BOOK_BYTES_MIN: usize = 192;
/// Announced books must arrive within this time.
const DEADLINE: Duration = Duration::from_secs(60);
const BUFFER_BYTES: usize = 256 * 1024;
/// Readers that look for a mark, at most.
const MARKED_READERS: usize = 20;
const COMMANDS: Token = Token(usize::MAX);
const EVENTS_MAX: usize = 1_024;

/// A command whose answer waits.
#[derive(Debug)]
enum Waiting {
    /// For all sockets to open.
    Open,
    /// For so many books.
    Books(u64),
}

/// What the readers have seen.
#[derive(Debug, Default)]
struct Seen {
    deliveries: u64,
    bytes: u64,
    /// Payloads of the first reader while they are wanted.
    captured: Option<Vec<Vec<u8>>>,
    /// When the first reader had each book while that is wanted, in nanoseconds.
    times: Option<Vec<u64>>,
    /// The text that some readers look for, and the rows of its books.
    mark: Vec<u8>,
    marked: Vec<String>,
}

struct Load {
    poll: Poll,
    readers: Vec<Reader>,
    seen: Seen,
    book_bytes_min: usize,
    waiting: Option<(Waiting, Instant)>,
    buffer: Vec<u8>,
}

fn main() -> io::Result<()> {
    let poll = Poll::new()?;
    let waker = Waker::new(poll.registry(), COMMANDS)?;
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
            drop(waker.wake());
        }
        drop(sender);
        drop(waker.wake());
    });
    let mut load = Load {
        poll,
        readers: Vec::new(),
        seen: Seen::default(),
        book_bytes_min: BOOK_BYTES_MIN,
        waiting: None,
        buffer: vec![0; BUFFER_BYTES],
    };
    load.run(&lines)
}

impl Load {
    fn run(&mut self, lines: &Receiver<String>) -> io::Result<()> {
        let mut events = Events::with_capacity(EVENTS_MAX);
        loop {
            while self.waiting.is_none() {
                match lines.try_recv() {
                    Ok(line) => self.take(&line),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return Ok(()),
                }
            }
            self.poll.poll(&mut events, self.waiting.is_some().then_some(DEADLINE))?;
            for event in &events {
                if event.token() != COMMANDS {
                    self.handle(event.token().0)?;
                }
            }
            self.settle();
        }
    }

    fn take(&mut self, line: &str) {
        match self.answer(line) {
            Ok(Some(text)) => println!("{text}"),
            Ok(None) => self.settle(),
            Err(cause) => println!("{{\"error\":{:?}}}", cause.to_string()),
        }
    }

    /// Answers what waits, once it is there or too late.
    fn settle(&mut self) {
        let Some((waiting, since)) = &self.waiting else { return };
        let have = self.seen.deliveries;
        let answer = match waiting {
            Waiting::Open if self.readers.iter().all(Reader::is_open) => "{}".to_string(),
            Waiting::Books(count) if have >= *count => self.seen.taken(),
            _ if since.elapsed() < DEADLINE => return,
            Waiting::Open => "{\"error\":\"not all sockets were opened\"}".to_string(),
            Waiting::Books(count) => format!("{{\"error\":\"{have} of {count} books came\"}}"),
        };
        self.waiting = None;
        println!("{answer}");
    }

    /// The answer to a command; `None` for one that waits.
    fn answer(&mut self, line: &str) -> io::Result<Option<String>> {
        let words: Vec<&str> = line.split(' ').collect();
        let text = match words.as_slice() {
            ["connect", port, count, deflate] => {
                self.connect(parsed(port)?, parsed(count)?, *deflate == "deflate")?;
                self.waiting = Some((Waiting::Open, Instant::now()));
                return Ok(None);
            }
            ["expect", count] => {
                self.waiting = Some((Waiting::Books(parsed(count)?), Instant::now()));
                return Ok(None);
            }
            ["send", text] => {
                let payload = STANDARD.decode(text).map_err(io::Error::other)?;
                let long = || io::Error::other("message was longer than 125 bytes");
                let frame = masked_frame(&payload).ok_or_else(long)?;
                for reader in &mut self.readers {
                    reader.send(&frame)?;
                }
                "{}".to_string()
            }
            ["close"] => {
                self.readers.clear();
                "{}".to_string()
            }
            _ => self.seen.answer(&words)?,
        };
        Ok(Some(text))
    }

    fn connect(&mut self, port: u16, count: usize, deflate: bool) -> io::Result<()> {
        // A compressed book may be as short as it likes; a side that compresses sends nothing else.
        self.book_bytes_min = if deflate { 1 } else { BOOK_BYTES_MIN };
        let handshake = handshake(deflate);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        self.readers.clear();
        for at in 0..count {
            let mut reader = Reader::connect(address, &handshake)?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            self.poll.registry().register(&mut reader.socket, Token(at), interest)?;
            self.readers.push(reader);
        }
        Ok(())
    }

    /// Reads and writes what a socket has and takes.
    fn handle(&mut self, at: usize) -> io::Result<()> {
        let apart = self.readers.len().div_ceil(MARKED_READERS).max(1);
        let Some(reader) = self.readers.get_mut(at) else { return Ok(()) };
        reader.send(&[])?;
        let is_marked = !self.seen.mark.is_empty() && at.is_multiple_of(apart);
        let payloads = is_marked || (at == 0 && self.seen.captured.is_some());
        let wanted = Wanted { book_bytes_min: self.book_bytes_min, payloads };
        let seen = &mut self.seen;
        reader.read(&mut self.buffer, wanted, |length, payload| {
            seen.note(at, length, payload, is_marked);
        })
    }
}

impl Seen {
    /// Notes a book of a reader at its last byte.
    fn note(&mut self, reader: usize, length: usize, payload: Option<&[u8]>, is_marked: bool) {
        self.deliveries += 1;
        self.bytes += u64::try_from(length).unwrap_or(u64::MAX);
        if is_marked
            && let Some(payload) = payload
            && let Some(at) = find(payload, &self.mark)
        {
            let after = payload[at + self.mark.len()..].iter();
            let digits: String = after
                .take_while(|byte| byte.is_ascii_digit())
                .map(|&byte| char::from(byte))
                .collect();
            self.marked.push(format!("[{reader},\"{digits}\",{}]", now_ns()));
        }
        if reader > 0 {
            return;
        }
        if let (Some(captured), Some(payload)) = (&mut self.captured, payload) {
            captured.push(payload.to_vec());
        }
        if let Some(times) = &mut self.times {
            times.push(now_ns());
        }
    }

    /// The books since the last call.
    fn taken(&mut self) -> String {
        let (deliveries, bytes) = (self.deliveries, self.bytes);
        (self.deliveries, self.bytes) = (0, 0);
        format!("{{\"deliveries\":{deliveries},\"bytes\":{bytes}}}")
    }

    fn answer(&mut self, words: &[&str]) -> io::Result<String> {
        match words {
            ["taken"] => return Ok(self.taken()),
            ["capture"] => self.captured = Some(Vec::new()),
            ["captured"] => {
                let payloads = self.captured.take().unwrap_or_default();
                let texts = payloads.iter().map(|bytes| format!("{:?}", STANDARD.encode(bytes)));
                return Ok(format!("{{\"payloads\":[{}]}}", joined(texts)));
            }
            ["watch"] => self.times = Some(Vec::new()),
            ["times"] => {
                let times = self.times.take().unwrap_or_default();
                return Ok(format!("{{\"times\":[{}]}}", joined(times)));
            }
            ["mark", text] => {
                self.mark = STANDARD.decode(text).map_err(io::Error::other)?;
                self.marked.clear();
            }
            ["seen"] => return Ok(format!("{{\"seen\":[{}]}}", self.marked.join(","))),
            _ => return Err(io::Error::other(format!("unknown command {}", words.join(" ")))),
        }
        Ok("{}".to_string())
    }
}

fn joined(items: impl IntoIterator<Item: ToString>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(",")
}

fn parsed<Number: std::str::FromStr>(word: &str) -> io::Result<Number> {
    word.parse().map_err(|_| io::Error::other(format!("{word} is no number")))
}

/// The clock that all processes of the machine share, and which Node's `hrtime` reads.
fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let ns = i128::from(now.tv_sec) * 1_000_000_000 + i128::from(now.tv_nsec);
    u64::try_from(ns).unwrap_or(0)
}

fn handshake(deflate: bool) -> String {
    let extension = if deflate { "Sec-WebSocket-Extensions: permessage-deflate\r\n" } else { "" };
    format!(
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{extension}\r\n"
    )
}
