/**
 * One call into the engine as a recording holds it. A call is `u32 length, u8 kind, f64 atMs` and
 * its fields; the length counts what follows it. A number is an f64, a text a u32 length and one
 * byte a character, a body the rest of the call; all little-endian.
 */
import type { RawAccount } from '../../contract/accounts.js';
import type { FeedState } from '../../contract/feed-status.js';
import type {
  IndicativePolicy,
  IndicativeQuote,
  MakerQuotes,
  QuotedSide,
} from '../../contract/indicative.js';
import { FeedError } from '../model/error.js';
import { RECORDED_NAME_CHARS_MAX, RECORDED_QUOTES_MAX } from '../model/limits.js';

/** Everything that moves a book. The first call of a recording is `open`, and only that. */
export type RecordedCall =
  | ({ readonly name: 'open' } & RecordingInfo)
  | { readonly name: 'push'; readonly account: RawAccount }
  | { readonly name: 'close'; readonly pubkey: string; readonly slot: number }
  | { readonly name: 'setClock'; readonly slot: number; readonly unixSeconds: number }
  | { readonly name: 'setState'; readonly state: FeedState }
  | { readonly name: 'setEpoch'; readonly epoch: string }
  | { readonly name: 'endTurn'; readonly tsMs: number }
  /** The raw response of the RPC from which the snapshot was decoded. */
  | { readonly name: 'beginSnapshot'; readonly body: Uint8Array }
  | { readonly name: 'applySnapshot'; readonly from: number; readonly count: number }
  | { readonly name: 'endSnapshot' }
  | { readonly name: 'setIndicativePolicy'; readonly policy: IndicativePolicy }
  | { readonly name: 'setIndicative'; readonly quotes: MakerQuotes };

/** Where a recording comes from. */
export interface RecordingInfo {
  readonly programId: string;
  readonly epoch: string;
  /** Since 1970. */
  readonly createdMs: number;
}

/** A call and when it was made, in milliseconds since the recording began. */
export interface TimedCall {
  readonly atMs: number;
  readonly call: RecordedCall;
  /** Bytes of the call in the recording. */
  readonly bytes: number;
}

/** The kind of a call is its place in this list: never reordered. */
const KINDS = [
  'open',
  'push',
  'close',
  'setClock',
  'setState',
  'setEpoch',
  'endTurn',
  'beginSnapshot',
  'applySnapshot',
  'endSnapshot',
  'setIndicativePolicy',
  'setIndicative',
] as const satisfies readonly RecordedCall['name'][];

const STATES = ['rebuilding', 'live', 'lagging', 'stale'] as const;
const POLICIES = ['join', 'improve'] as const;
const ENCODINGS = ['base64', 'base64+zstd', 'bytes'] as const;

/** Bytes of the length, and of the kind and the time behind it. */
export const CALL_LENGTH_BYTES = 4;
const CALL_HEAD_BYTES = 9;
const U32_MAX = 0xffff_ffff;

/** The bytes of a call, in pieces: a body is not copied. */
export function encodeCall(call: RecordedCall, atMs: number): readonly Uint8Array[] {
  const body = call.name === 'beginSnapshot' ? [call.body] : [];
  const bodyBytes = body[0]?.length ?? 0;
  const fields = fieldsOf(call);
  const bytes = fields.reduce<number>((sum, field) => sum + bytesOf(field), CALL_HEAD_BYTES);
  const head = Buffer.allocUnsafe(CALL_LENGTH_BYTES + bytes);
  let at = head.writeUInt32LE(bytes + bodyBytes, 0);
  at = head.writeUInt8(KINDS.indexOf(call.name), at);
  at = head.writeDoubleLE(atMs, at);
  for (const field of fields) at = writeField(head, field, at);
  return [head, ...body];
}

type Field = number | string;

function fieldsOf(call: RecordedCall): readonly Field[] {
  switch (call.name) {
    case 'open':
      return [call.programId, call.epoch, call.createdMs];
    case 'push': {
      const { encoding, slot, pubkey, owner, data } = call.account;
      return [ENCODINGS.indexOf(encoding), slot, pubkey, owner, data];
    }
    case 'close':
      return [call.pubkey, call.slot];
    case 'setClock':
      return [call.slot, call.unixSeconds];
    case 'setState':
      return [STATES.indexOf(call.state)];
    case 'setEpoch':
      return [call.epoch];
    case 'endTurn':
      return [call.tsMs];
    case 'applySnapshot':
      return [call.from, call.count];
    case 'setIndicativePolicy':
      return [POLICIES.indexOf(call.policy)];
    case 'setIndicative': {
      const { market, maker, tsMs, quotes } = call.quotes;
      return [market, maker, tsMs, quotesText(quotes)];
    }
    case 'beginSnapshot':
    case 'endSnapshot':
      return [];
  }
}

function bytesOf(field: Field): number {
  return typeof field === 'number' ? 8 : 4 + field.length;
}

/** One byte a character, as the engine takes texts: one that is not ASCII breaks no length. */
function writeField(out: Buffer, field: Field, at: number): number {
  if (typeof field === 'number') return out.writeDoubleLE(field, at);
  const textAt = out.writeUInt32LE(field.length, at);
  return textAt + out.write(field, textAt, 'latin1');
}

/**
 * Reads the bytes of one call behind its length.
 *
 * # Errors
 *
 * `MALFORMED_RECORDING` when they are none, or hold a value that no recorder writes.
 */
export function decodeCall(bytes: Buffer): TimedCall {
  const fields = new FieldReader(bytes);
  const kind = fields.readByte();
  const atMs = fields.readNumber(0, Number.MAX_VALUE);
  const name = KINDS[kind];
  if (name === undefined) throw malformedError(`kind of a call was ${kind}, which is not known`);
  const call = readCall(name, fields);
  if (!fields.isDone) throw malformedError(`call ${name} had more bytes than its fields take`);
  return { atMs, call, bytes: CALL_LENGTH_BYTES + bytes.length };
}

function readCall(name: RecordedCall['name'], fields: FieldReader): RecordedCall {
  switch (name) {
    case 'open': {
      const programId = fields.readName();
      return { name, programId, epoch: fields.readName(), createdMs: fields.readWhole() };
    }
    case 'push':
      return { name, account: readAccount(fields) };
    case 'close':
      return { name, pubkey: fields.readText(), slot: fields.readWhole() };
    case 'setClock':
      return { name, slot: fields.readWhole(), unixSeconds: fields.readInteger() };
    case 'setState':
      return { name, state: fields.readChoice(STATES) };
    case 'setEpoch':
      return { name, epoch: fields.readName() };
    case 'endTurn':
      return { name, tsMs: fields.readWhole() };
    case 'beginSnapshot':
      return { name, body: fields.readRest() };
    case 'applySnapshot':
      return { name, from: fields.readWhole(U32_MAX), count: fields.readWhole(U32_MAX) };
    case 'endSnapshot':
      return { name };
    case 'setIndicativePolicy':
      return { name, policy: fields.readChoice(POLICIES) };
    case 'setIndicative':
      return { name, quotes: readQuotes(fields) };
  }
}

function readAccount(fields: FieldReader): RawAccount {
  const encoding = fields.readChoice(ENCODINGS);
  const slot = fields.readWhole();
  return {
    encoding,
    slot,
    pubkey: fields.readText(),
    owner: fields.readText(),
    data: fields.readText(),
  };
}

function readQuotes(fields: FieldReader): MakerQuotes {
  const market = fields.readWhole(U32_MAX);
  const maker = fields.readName();
  const tsMs = fields.readWhole();
  return { market, maker, tsMs, quotes: quotesOf(fields.readText()) };
}

/** Reads fields one after the other and believes none of them. */
class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at === this.#bytes.length;
  }

  readByte(): number {
    return this.#bytes.readUInt8(this.#skipBytes(1));
  }

  readNumber(min: number, max: number): number {
    const value = this.#bytes.readDoubleLE(this.#skipBytes(8));
    if (value >= min && value <= max) return value;
    throw malformedError(`number was ${value}, must be ${min} to ${max}`);
  }

  readInteger(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.readNumber(min, max);
    if (Number.isInteger(value)) return value;
    throw malformedError(`number was ${value}, must be whole`);
  }

  readWhole(max = Number.MAX_SAFE_INTEGER): number {
    return this.readInteger(0, max);
  }

  readChoice<T>(choices: readonly T[]): T {
    const value = this.readWhole(choices.length - 1);
    return choices[value] as T;
  }

  readText(): string {
    const length = this.#bytes.readUInt32LE(this.#skipBytes(4));
    const at = this.#skipBytes(length);
    return this.#bytes.toString('latin1', at, at + length);
  }

  readName(): string {
    const text = this.readText();
    if (/^[\x21-\x7e]+$/.test(text) && text.length <= RECORDED_NAME_CHARS_MAX) return text;
    throw malformedError(
      `name had ${text.length} characters, must be 1 to ${RECORDED_NAME_CHARS_MAX}`,
    );
  }

  readRest(): Uint8Array {
    const at = this.#at;
    this.#at = this.#bytes.length;
    return this.#bytes.subarray(at);
  }

  #skipBytes(count: number): number {
    const at = this.#at;
    if (count > this.#bytes.length - at) {
      throw malformedError(`call had ${this.#bytes.length} bytes, must hold its fields`);
    }
    this.#at = at + count;
    return at;
  }
}

function malformedError(message: string): FeedError {
  return new FeedError('MALFORMED_RECORDING', message);
}

/** One quote as {@link quotesText} writes it. */
const QUOTE = /^(?:(-?\d{1,19}),(\d{1,20})|,),(?:(-?\d{1,19}),(\d{1,20})|,),([01])$/;
const PRICE_MIN = -(2n ** 63n);
const PRICE_MAX = 2n ** 63n - 1n;
const SIZE_MAX = 2n ** 64n - 1n;

/**
 * Writes indicative quotes as one text: quotes separated by `;`, the fields of each by `,`: bid price,
 * bid size, ask price, ask size, and 1 when the prices are offsets. A side that is not quoted is empty.
 */
export function quotesText(quotes: readonly IndicativeQuote[]): string {
  const side = (quoted: QuotedSide | null): string =>
    quoted === null ? ',' : `${quoted.price},${quoted.size}`;
  return quotes
    .map(({ bid, ask, isOracleOffset }) => `${side(bid)},${side(ask)},${isOracleOffset ? 1 : 0}`)
    .join(';');
}

/**
 * Reads what {@link quotesText} wrote.
 *
 * # Errors
 *
 * `MALFORMED_RECORDING` when the text is not one that {@link quotesText} writes of quotes that were taken.
 */
export function quotesOf(text: string): readonly IndicativeQuote[] {
  const quotes = text === '' ? [] : text.split(';', RECORDED_QUOTES_MAX + 1);
  if (quotes.length > RECORDED_QUOTES_MAX) throw malformedQuotesError();
  return quotes.map((quote) => {
    const [, bidPrice, bidSize, askPrice, askSize, offset] = QUOTE.exec(quote) ?? [];
    if (offset === undefined) throw malformedQuotesError();
    return {
      bid: sideOf(bidPrice, bidSize),
      ask: sideOf(askPrice, askSize),
      isOracleOffset: offset === '1',
    };
  });
}

function sideOf(priceText: string | undefined, sizeText: string | undefined): QuotedSide | null {
  if (priceText === undefined || sizeText === undefined) return null;
  const price = BigInt(priceText);
  const size = BigInt(sizeText);
  if (price < PRICE_MIN || price > PRICE_MAX || size > SIZE_MAX) throw malformedQuotesError();
  return { price, size };
}

function malformedQuotesError(): FeedError {
  return malformedError('a text must be indicative quotes');
}
