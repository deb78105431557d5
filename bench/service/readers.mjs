/**
 * Many WebSocket readers that do nothing but drain: bare TCP sockets that count frames by their
 * headers. Commands: see `verbs`.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { answerCommands } from './commands.mjs';

/** Acknowledgements, beats and errors are shorter than this, books and their deltas are longer. */
const BOOK_BYTES_MIN = 192;
/** A compressed book may be as short as it likes; a side that compresses sends nothing else. */
const DEFLATED_BYTES_MIN = 1;
/** Announced frames must arrive within this time. */
const DEADLINE_MS = 60_000;
const PING = 9;
/** A message as bytes is a book or a delta by its kind, however short: see docs/binary.md. */
const BINARY = 2;
const BINARY_HEARTBEAT = 2;
/** A client that answers no ping is taken for gone. The pings of both sides are empty. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const SHARED_BYTES = 256 * 1024;
/** Readers that look for a mark, at most. */
const MARKED_READERS = 20;
const DIGITS_MAX = 20;

const shared = Buffer.alloc(SHARED_BYTES);
let readers = [];
let bookBytesMin = BOOK_BYTES_MIN;
let deliveries = 0;
let bytes = 0;
let waiting;
/** Payloads of the first reader, while they are wanted. */
let captured;
/** A text that some readers look for, while it is wanted, and what they found. */
let marked;
/** When the first reader had each book, while that is wanted, in nanoseconds. */
let times;

const verbs = {
  /** `connect PORT COUNT DEFLATE`: DEFLATE is `plain` or `deflate`. */
  async connect(port, count, deflate) {
    bookBytesMin = deflate === 'deflate' ? DEFLATED_BYTES_MIN : BOOK_BYTES_MIN;
    readers = Array.from({ length: Number(count) }, (_, at) => new Reader(port, deflate, at === 0));
    await Promise.all(readers.map((reader) => reader.opened));
    return {};
  },

  /** `send TEXT`: one message from every reader, as base64. */
  send(text) {
    const frame = maskedFrame(Buffer.from(text, 'base64'));
    for (const reader of readers) reader.socket.write(frame);
    return {};
  },

  /** `expect COUNT`: resolves when so many books have come since the last `expect`. */
  async expect(count) {
    await enough(Number(count));
    return verbs.taken();
  },

  /** `taken`: the frames since the last `expect` or `taken`. */
  taken() {
    const result = { deliveries, bytes };
    deliveries = 0;
    bytes = 0;
    return result;
  },

  /** `capture`: records the first reader's frames from now on; `captured` returns them and stops. */
  capture() {
    captured = [];
    return {};
  },

  captured() {
    const payloads = captured.map((parts) => Buffer.concat(parts).toString('base64'));
    captured = undefined;
    return { payloads };
  },

  /** `watch`: notes from now on when books come; `times` answers and ends it. */
  watch() {
    times = [];
    return {};
  },

  times() {
    const noted = times;
    times = undefined;
    return { times: noted };
  },

  /** `mark TEXT`: notes from now on when some readers have a book with this text, and the digits behind it. */
  mark(text) {
    marked = { text: Buffer.from(text, 'base64'), seen: [] };
    const apart = Math.ceil(readers.length / MARKED_READERS);
    for (const [at, reader] of readers.entries()) reader.markedAt = at % apart === 0 ? at : -1;
    return {};
  },

  /** `seen`: `[READER, DIGITS, NANOSECONDS]` of each marked book of each of those readers. */
  seen: () => ({ seen: marked.seen }),

  close() {
    for (const reader of readers) reader.socket.destroy();
    readers = [];
    return {};
  },
};

/** One socket and where it is in the stream. */
class Reader {
  #head = Buffer.alloc(10);
  #have = 0;
  #left = 0;
  #length = 0;
  #firstByte = 0;
  #isOpen = false;
  #handshake = '';
  #isFirst;
  #parts;
  /** Its number, if it looks for the mark. */
  markedAt = -1;

  constructor(port, deflate, isFirst) {
    this.#isFirst = isFirst;
    const onread = { buffer: shared, callback: (length) => this.#read(length) };
    this.socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true, onread });
    this.socket.write(handshake(deflate));
    this.opened = once(this.socket, 'opened');
  }

  #read(length) {
    let at = this.#isOpen ? 0 : this.#open(length);
    while (at < length) {
      if (this.#left > 0) at = this.#skip(at, length);
      else this.#headByte(shared[at++]);
    }
    return true;
  }

  #open(length) {
    this.#handshake += shared.toString('latin1', 0, length);
    const end = this.#handshake.indexOf('\r\n\r\n');
    if (end < 0) return length;
    if (!this.#handshake.startsWith('HTTP/1.1 101')) throw new Error(this.#handshake);
    this.#isOpen = true;
    this.socket.emit('opened');
    return length - (this.#handshake.length - end - 4);
  }

  #skip(at, length) {
    if (this.#left === this.#length) this.#firstByte = shared[at];
    const end = Math.min(length, at + this.#left);
    this.#parts?.push(Buffer.from(shared.subarray(at, end)));
    this.#left -= end - at;
    if (this.#left === 0) this.#end();
    return end;
  }

  #headByte(byte) {
    this.#head[this.#have++] = byte;
    if (this.#have < 2) return;
    const short = this.#head[1];
    const wanted = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#have < wanted) return;
    this.#have = 0;
    this.#begin(
      short < 126 ? short : this.#head.readUIntBE(short === 126 ? 2 : 4, wanted === 4 ? 2 : 6),
    );
  }

  #begin(length) {
    if ((this.#head[0] & 0x0f) === PING) this.socket.write(PONG);
    this.#left = length;
    this.#length = length;
    if ((captured !== undefined && this.#isFirst) || this.markedAt >= 0) this.#parts = [];
  }

  /** A frame counts when its last byte is there. */
  #end() {
    if (!this.#isBook()) return;
    if (this.#isFirst) times?.push(Number(process.hrtime.bigint()));
    if (this.markedAt >= 0) noteMark(this.markedAt, Buffer.concat(this.#parts));
    if (this.#parts !== undefined && this.#isFirst) captured?.push(this.#parts);
    this.#parts = undefined;
    deliveries += 1;
    bytes += this.#length;
    if (deliveries === waiting?.count) waiting.resolve();
  }

  #isBook() {
    const isBinary = (this.#head[0] & 0x0f) === BINARY;
    if (!isBinary) return this.#length >= bookBytesMin;
    return ((this.#firstByte >> 2) & 3) !== BINARY_HEARTBEAT;
  }
}

function noteMark(reader, payload) {
  const at = payload.indexOf(marked.text);
  if (at < 0) return;
  const after = payload.toString(
    'latin1',
    at + marked.text.length,
    at + marked.text.length + DIGITS_MAX,
  );
  marked.seen.push([reader, /^\d+/.exec(after)?.[0] ?? '', Number(process.hrtime.bigint())]);
}

function handshake(deflate) {
  const extension = deflate === 'deflate' ? 'Sec-WebSocket-Extensions: permessage-deflate\r\n' : '';
  return (
    'GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${extension}\r\n`
  );
}

/** A client's frames are masked; a mask of zeros leaves the bytes as they are. */
function maskedFrame(payload) {
  if (payload.length > 125) throw new Error(`message was ${payload.length} bytes, must be 125`);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function enough(count) {
  if (deliveries >= count) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`${deliveries} of ${count} books came`));
    const timer = setTimeout(fail, DEADLINE_MS);
    waiting = {
      count,
      resolve: () => {
        clearTimeout(timer);
        waiting = undefined;
        resolve();
      },
    };
  });
}

await answerCommands(verbs);
