//! One WebSocket of a reader: it counts frames by their headers and keeps no text that nobody wants.

use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;

use mio::net::TcpStream;

const PING: u8 = 9;
const BINARY: u8 = 2;
/// The kind of a binary message that is a heartbeat, see docs/binary.md.
const BINARY_HEARTBEAT: u8 = 2;
/// The pings of all servers are empty. A client that answers none is closed.
const PONG: [u8; 6] = [0x8a, 0x80, 0, 0, 0, 0];
/// The longest payload whose length is in the second byte of a frame.
const SHORT_BYTES_MAX: usize = 125;
const HANDSHAKE_END: &[u8] = b"\r\n\r\n";

/// What is done with frames of a reader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// A text frame below this length is no book: acknowledgements, beats and errors are shorter.
    pub(crate) book_bytes_min: usize,
    /// Whether payloads are kept.
    pub(crate) payloads: bool,
}

/// Where a reader is in its stream of bytes.
#[derive(Debug)]
enum Place {
    /// In the response to its handshake, whose bytes so far these are.
    Handshake(Vec<u8>),
    /// In a head of a frame, of which so many bytes came.
    Head(usize),
    /// In a payload, of which so many bytes are left.
    Payload(usize),
}

/// A socket with its place in the stream.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) socket: TcpStream,
    place: Place,
    head: [u8; 10],
    length: usize,
    first_byte: u8,
    /// What came of a payload that is wanted.
    payload: Option<Vec<u8>>,
    unsent: Vec<u8>,
}

impl Reader {
    pub(crate) fn connect(address: SocketAddr, handshake: &str) -> io::Result<Self> {
        let socket = TcpStream::connect(address)?;
        Ok(Self {
            socket,
            place: Place::Handshake(Vec::new()),
            head: [0; 10],
            length: 0,
            first_byte: 0,
            payload: None,
            unsent: handshake.as_bytes().to_vec(),
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.place, Place::Handshake(_))
    }

    /// Sends bytes; what the socket does not take waits for the next call.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.unsent.extend_from_slice(bytes);
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(cause) if is_early(&cause) => return Ok(()),
                Err(cause) => return Err(cause),
            }
        }
        Ok(())
    }

    /// Reads until the socket is empty, and passes on each book: its length, and its payload if
    /// that was wanted at its first byte. Ends when the server has ended the connection.
    pub(crate) fn read(
        &mut self,
        buffer: &mut [u8],
        wanted: Wanted,
        mut on_book: impl FnMut(usize, Option<&[u8]>),
    ) -> io::Result<()> {
        loop {
            let length = match self.socket.read(buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(cause) if is_early(&cause) => return Ok(()),
                Err(cause) => return Err(cause),
            };
            let mut rest = &buffer[..length];
            while !rest.is_empty() {
                rest = self.step(rest, wanted, &mut on_book)?;
            }
        }
    }

    /// Goes through one part of the stream and returns the bytes after it.
    fn step<'a>(
        &mut self,
        bytes: &'a [u8],
        wanted: Wanted,
        on_book: &mut impl FnMut(usize, Option<&[u8]>),
    ) -> io::Result<&'a [u8]> {
        match &mut self.place {
            Place::Handshake(response) => {
                let before = response.len();
                response.extend_from_slice(bytes);
                let Some(end) = find(response, HANDSHAKE_END) else { return Ok(&[]) };
                if !response.starts_with(b"HTTP/1.1 101") {
                    let refused = String::from_utf8_lossy(response).into_owned();
                    return Err(io::Error::other(refused));
                }
                self.place = Place::Head(0);
                Ok(&bytes[end + HANDSHAKE_END.len() - before..])
            }
            Place::Head(have) => {
                self.head[*have] = bytes[0];
                *have += 1;
                if let Some(length) = payload_length(&self.head[..*have]) {
                    self.begin(length)?;
                }
                Ok(&bytes[1..])
            }
            Place::Payload(left) => {
                if *left == self.length {
                    self.first_byte = bytes[0];
                    self.payload = wanted.payloads.then(Vec::new);
                }
                let (part, rest) = bytes.split_at(bytes.len().min(*left));
                if let Some(payload) = &mut self.payload {
                    payload.extend_from_slice(part);
                }
                *left -= part.len();
                if *left == 0 {
                    self.place = Place::Head(0);
                    if self.is_book(wanted) {
                        on_book(self.length, self.payload.as_deref());
                    }
                }
                Ok(rest)
            }
        }
    }

    fn begin(&mut self, length: usize) -> io::Result<()> {
        self.length = length;
        // A frame without a payload ends with its head.
        self.place = if length == 0 { Place::Head(0) } else { Place::Payload(length) };
        if self.head[0] & 0x0f == PING { self.send(&PONG) } else { Ok(()) }
    }

    fn is_book(&self, wanted: Wanted) -> bool {
        if self.head[0] & 0x0f != BINARY {
            return self.length >= wanted.book_bytes_min;
        }
        (self.first_byte >> 2) & 3 != BINARY_HEARTBEAT
    }
}

/// The length in a frame's head; `None` while bytes of the head are missing.
fn payload_length(head: &[u8]) -> Option<usize> {
    let bytes = match head {
        [_, 126, rest @ ..] => rest.get(..2)?,
        [_, 127, rest @ ..] => rest.get(..8)?,
        [_, short, ..] => std::slice::from_ref(short),
        _ => return None,
    };
    Some(bytes.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
}

/// A client's frames are masked; a mask of zeros leaves the bytes as they are.
pub(crate) fn masked_frame(payload: &[u8]) -> Option<Vec<u8>> {
    let length = u8::try_from(payload.len()).ok().filter(|_| payload.len() <= SHORT_BYTES_MAX)?;
    Some([&[0x81, 0x80 | length, 0, 0, 0, 0], payload].concat())
}

/// Whether the socket has no bytes, or no room, at the moment.
fn is_early(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::NotConnected)
}

/// The place of a text in bytes.
pub(crate) fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text)
}
