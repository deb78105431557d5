/** Malformed WebSocket frames, by the rules of RFC 6455 that they break. */
import type { Random } from '../../src/sim/random.js';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** The required reaction of a server: end the connection, continue it, ignore the message, or any of these. */
export type Outcome = 'ends' | 'continues' | 'unheard' | 'either';

/** Bytes on an open WebSocket, and the required reaction. */
export interface HostileCase {
  readonly name: string;
  readonly bytes: Buffer;
  readonly outcome: Outcome;
}

interface Frame {
  readonly opcode: number;
  readonly payload?: Uint8Array;
  readonly fin?: boolean;
  /** The three reserved bits, 1 to 7. */
  readonly rsv?: number;
  readonly masked?: boolean;
  /** The length that the frame claims; its payload's by default. */
  readonly claim?: bigint;
  /** How the length is written; the shortest way by default. */
  readonly form?: 'short' | 'medium' | 'long';
}

/** The bytes of a frame as a client sends it. */
export function frameBytes(random: Random, frame: Frame): Buffer {
  const { opcode, payload = Buffer.alloc(0), fin = true, rsv = 0, masked = true } = frame;
  const claim = frame.claim ?? BigInt(payload.length);
  const shortest = claim < 126n ? 'short' : claim < 65_536n ? 'medium' : 'long';
  const form = frame.form ?? shortest;
  const maskBit = masked ? 0x80 : 0;
  const head = Buffer.alloc(form === 'short' ? 2 : form === 'medium' ? 4 : 10);
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = maskBit | (form === 'short' ? Number(claim) : form === 'medium' ? 126 : 127);
  if (form === 'medium') head.writeUInt16BE(Number(claim), 2);
  if (form === 'long') head.writeBigUInt64BE(claim, 2);
  if (!masked) return Buffer.concat([head, payload]);
  const mask = Buffer.from(Array.from({ length: 4 }, () => random.nextBelow(256)));
  const hidden = Buffer.from(payload);
  for (let i = 0; i < hidden.length; i += 1) hidden[i] = (hidden[i] ?? 0) ^ (mask[i % 4] ?? 0);
  return Buffer.concat([head, mask, hidden]);
}

type Make = (random: Random) => Omit<HostileCase, 'name'>;

const text = (letters: string) => Buffer.from(letters);
const HELLO = text('{"type":"hello"}');
const KIBIBYTE = 1_024;

/** Byte sequences that no UTF-8 text has. */
const NOT_UTF8 = [
  [0x80],
  [0xc0, 0xaf],
  [0xc1, 0xbf],
  [0xe0, 0x80, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xed, 0xbf, 0xbf],
  [0xf0, 0x80, 0x80, 0xaf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xfe],
  [0xff],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x98],
].map((bytes) => Buffer.from(bytes));

const RESERVED_OPCODES = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15];
const CONTROL_OPCODES = [OPCODE.close, OPCODE.ping, OPCODE.pong];
const CLOSE_CODES_WRONG = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5_000, 65_535];
const CLAIMS_TOO_LONG = [4_097n, 65_536n, 1_048_576n, 2n ** 32n, 2n ** 63n - 1n];
const CLAIMS_NEGATIVE = [2n ** 63n, 2n ** 64n - 1n];

function pick<T>(random: Random, items: readonly T[]): T {
  const item = random.pickOne(items);
  if (item === undefined) throw new Error('Invariant: there is something to pick');
  return item;
}

const ends = (bytes: Buffer) => ({ bytes, outcome: 'ends' }) as const;
const continues = (bytes: Buffer) => ({ bytes, outcome: 'continues' }) as const;
const unheard = (bytes: Buffer) => ({ bytes, outcome: 'unheard' }) as const;
const either = (bytes: Buffer) => ({ bytes, outcome: 'either' }) as const;

function closeFrame(random: Random, code: number, reason: Uint8Array = Buffer.alloc(0)): Buffer {
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), reason]);
  return frameBytes(random, { opcode: OPCODE.close, payload });
}

/** The kinds of malformed frames, by name. */
const KINDS: Readonly<Record<string, Make>> = {
  'a reserved opcode': (random) =>
    ends(frameBytes(random, { opcode: pick(random, RESERVED_OPCODES), payload: HELLO })),
  'a reserved bit': (random) =>
    ends(
      frameBytes(random, {
        opcode: pick(random, [OPCODE.text, OPCODE.binary, OPCODE.ping]),
        rsv: random.nextBetween(1, 7),
        payload: HELLO,
      }),
    ),
  // The transport takes the first bytes for the mask, and waits for the end until it is idle.
  'no mask': (random) =>
    unheard(frameBytes(random, { opcode: OPCODE.text, masked: false, payload: HELLO })),
  'a length beyond the limit': (random) =>
    ends(
      frameBytes(random, {
        opcode: OPCODE.text,
        claim: pick(random, CLAIMS_TOO_LONG),
        payload: HELLO,
      }),
    ),
  'a text of thousands of arrays': (random) => {
    const depth = pick(random, [2_049, 5_000, 10_000]);
    const payload = text('['.repeat(depth) + ']'.repeat(depth));
    return ends(frameBytes(random, { opcode: OPCODE.text, payload }));
  },
  'a length of more than 63 bits': (random) =>
    ends(
      frameBytes(random, {
        opcode: pick(random, [OPCODE.text, OPCODE.binary]),
        claim: pick(random, CLAIMS_NEGATIVE),
        form: 'long',
        payload: HELLO,
      }),
    ),
  'a length longer than needed': (random) =>
    either(
      frameBytes(random, {
        opcode: OPCODE.text,
        form: pick(random, ['medium', 'long'] as const),
        payload: HELLO,
      }),
    ),
  'a control frame in pieces': (random) =>
    ends(
      frameBytes(random, { opcode: pick(random, CONTROL_OPCODES), fin: false, payload: text('a') }),
    ),
  'a control frame that is too long': (random) =>
    ends(
      frameBytes(random, {
        opcode: pick(random, CONTROL_OPCODES),
        payload: Buffer.alloc(random.nextBetween(126, 3_000), 0x61),
      }),
    ),
  'a close code that may not be sent': (random) =>
    ends(closeFrame(random, pick(random, CLOSE_CODES_WRONG), text('why'))),
  'half a close code': (random) =>
    ends(frameBytes(random, { opcode: OPCODE.close, payload: Buffer.from([3]) })),
  'a close reason that is no UTF-8': (random) =>
    ends(closeFrame(random, 1_000, pick(random, NOT_UTF8))),
  'a text that is no UTF-8': (random) => {
    const place = random.nextBelow(HELLO.length);
    const bad = pick(random, NOT_UTF8);
    const payload = Buffer.concat([HELLO.subarray(0, place), bad, HELLO.subarray(place)]);
    return ends(frameBytes(random, { opcode: OPCODE.text, payload }));
  },
  'a text in pieces that is no UTF-8': (random) =>
    ends(
      Buffer.concat([
        frameBytes(random, { opcode: OPCODE.text, fin: false, payload: pick(random, NOT_UTF8) }),
        frameBytes(random, { opcode: OPCODE.continuation, payload: HELLO }),
      ]),
    ),
  'a continuation of nothing': (random) =>
    ends(frameBytes(random, { opcode: OPCODE.continuation, fin: random.oneIn(2), payload: HELLO })),
  'a text within a text': (random) =>
    ends(
      Buffer.concat([
        frameBytes(random, { opcode: OPCODE.text, fin: false, payload: HELLO }),
        frameBytes(random, { opcode: OPCODE.text, payload: HELLO }),
      ]),
    ),
  // The transport takes it as if it were a control frame, where it should end the connection.
  'a binary message within a text': (random) =>
    either(
      Buffer.concat([
        frameBytes(random, { opcode: OPCODE.text, fin: false, payload: HELLO }),
        frameBytes(random, { opcode: OPCODE.binary, payload: HELLO }),
      ]),
    ),
  'pieces that are too long together': (random) => {
    const piece = Buffer.alloc(KIBIBYTE, 0x20);
    const next = () =>
      frameBytes(random, { opcode: OPCODE.continuation, fin: false, payload: piece });
    const first = frameBytes(random, { opcode: OPCODE.text, fin: false, payload: piece });
    return ends(Buffer.concat([first, next(), next(), next(), next(), next()]));
  },
  'empty pieces without end': (random) => {
    const first = frameBytes(random, { opcode: OPCODE.text, fin: false, payload: HELLO });
    const piece = () => frameBytes(random, { opcode: OPCODE.continuation, fin: false });
    return continues(Buffer.concat([first, ...Array.from({ length: 50 }, piece)]));
  },
  'pings between the pieces of a text': (random) =>
    continues(
      Buffer.concat([
        frameBytes(random, { opcode: OPCODE.text, fin: false, payload: HELLO.subarray(0, 5) }),
        frameBytes(random, { opcode: OPCODE.ping, payload: text('between') }),
        frameBytes(random, { opcode: OPCODE.continuation, payload: HELLO.subarray(5) }),
      ]),
    ),
  'a binary message': (random) =>
    either(frameBytes(random, { opcode: OPCODE.binary, payload: HELLO })),
  'pongs that nobody asked for': (random) =>
    continues(
      frameBytes(random, { opcode: OPCODE.pong, payload: Buffer.alloc(random.nextBelow(126)) }),
    ),
  'a frame cut in the middle': (random) => {
    const whole = frameBytes(random, { opcode: OPCODE.text, payload: Buffer.alloc(2_000, 0x61) });
    return unheard(whole.subarray(0, random.nextBetween(1, whole.length - 1)));
  },
  noise: (random) =>
    either(
      Buffer.from(Array.from({ length: random.nextBetween(1, 300) }, () => random.nextBelow(256))),
    ),
};

/** How many kinds there are. */
export const KINDS_OF_FRAMES = Object.keys(KINDS).length;

/** Malformed frames of all kinds in turn; the same seed gives the same bytes. */
export function* hostileFrames(random: Random, count: number): Generator<HostileCase> {
  const kinds = Object.entries(KINDS);
  for (let i = 0; i < count; i += 1) {
    const [name, make] = kinds[i % kinds.length] as [string, Make];
    yield { name, ...make(random) };
  }
}
