/** Validates and reads the bytes of accounts. Malformed bytes throw MALFORMED_ACCOUNT. */
import { addressInView } from '../base58-text.js';
import { ClientError } from '../error.js';

/** How accounts of one kind are distinguished. */
export interface AccountKind {
  /** The program's name of the kind. */
  readonly name: string;
  /** The first four bytes of the discriminator, as a big-endian integer. */
  readonly discriminatorHigh: number;
  /** The next four. */
  readonly discriminatorLow: number;
  /** The length of the account in bytes; the minimum for a kind with lists. */
  readonly bytes: number;
  readonly hasFixedLength: boolean;
}

/** Bytes of the discriminator. */
const DISCRIMINATOR_BYTES = 8;
/** Bytes of a list's length. */
const LIST_LENGTH_BYTES = 4;
/** The padding character of names: the program writes spaces; unused bytes are 0. */
const SPACE = 32;
const NOT_ASCII = 128;

/** Checks by discriminator and length that bytes are an account of a kind; returns their view. */
export function checkedView(bytes: Uint8Array, kind: AccountKind): DataView {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLong = bytes.length >= DISCRIMINATOR_BYTES;
  if (isLong && !hasDiscriminator(view, kind)) {
    throw malformedAccount(
      `account is not a ${kind.name}: its first eight bytes are those of another kind`,
    );
  }
  const fits = kind.hasFixedLength ? bytes.length === kind.bytes : bytes.length >= kind.bytes;
  if (fits) return view;
  const rule = kind.hasFixedLength ? `${kind.bytes}` : `at least ${kind.bytes}`;
  throw malformedAccount(`account had ${bytes.length} bytes, ${kind.name} must have ${rule}`);
}

/** Returns whether bytes begin like an account of a kind. Only the discriminator is read. */
export function isKind(bytes: Uint8Array, kind: AccountKind): boolean {
  if (bytes.length < DISCRIMINATOR_BYTES) return false;
  return hasDiscriminator(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), kind);
}

function hasDiscriminator(view: DataView, kind: AccountKind): boolean {
  return (
    view.getUint32(0) === kind.discriminatorHigh && view.getUint32(4) === kind.discriminatorLow
  );
}

/** An unsigned integer of 16 bytes. */
export function u128At(view: DataView, at: number): bigint {
  const high = view.getBigUint64(at + 8, true);
  const low = view.getBigUint64(at, true);
  return high === 0n ? low : (high << 64n) + low;
}

/** A signed integer of 16 bytes. */
export function i128At(view: DataView, at: number): bigint {
  const high = view.getBigInt64(at + 8, true);
  const low = view.getBigUint64(at, true);
  return high === 0n ? low : (high << 64n) + low;
}

/**
 * A struct whose 64-bit integers are numbers: exact up to 2 ** 53, beyond that the nearest double,
 * like `Number(amount)` of a `bigint`.
 */
export type AsNumbers<Struct> = {
  readonly [Field in keyof Struct]: Struct[Field] extends bigint ? number : Struct[Field];
};

/** Reads an unsigned 8-byte integer as a number. */
export function u64NumberAt(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

/** Reads a signed 8-byte integer as a number. */
export function i64NumberAt(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

/** Reads a boolean; any byte other than 0 and 1 is malformed, as in the program. */
export function boolAt(view: DataView, at: number, field: string): boolean {
  const value = view.getUint8(at);
  if (value > 1) throw outOfRange(field, value);
  return value === 1;
}

/** Reads a byte that encodes one of several names. */
export function enumAt<Name>(
  view: DataView,
  at: number,
  names: readonly Name[],
  field: string,
): Name {
  const value = view.getUint8(at);
  const name = names[value];
  if (name === undefined) throw outOfRange(field, value);
  return name;
}

/** An address as base58. */
export function keyAt(view: DataView, at: number): string {
  return addressInView(view, at);
}

/** A copy of some bytes. */
export function bytesAt(view: DataView, at: number, count: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, count).slice();
}

/** Reads 32 bytes of UTF-8, without the trailing spaces and zeros. */
export function textAt(view: DataView, at: number): string {
  let end = at + 32;
  while (end > at && (view.getUint8(end - 1) === SPACE || view.getUint8(end - 1) === 0)) end -= 1;
  let text = '';
  for (let place = at; place < end; place += 1) {
    const byte = view.getUint8(place);
    if (byte >= NOT_ASCII) return new TextDecoder().decode(bytesAt(view, at, end - at)).trim();
    text += String.fromCharCode(byte);
  }
  return text.trim();
}

/** Reads an array of `count` structs of equal length. */
export function manyAt<Element>(
  view: DataView,
  at: number,
  count: number,
  bytes: number,
  read: (view: DataView, at: number) => Element,
): Element[] {
  const elements: Element[] = [];
  for (let index = 0; index < count; index += 1) elements.push(read(view, at + index * bytes));
  return elements;
}

/** Reads a list at the end of an account: its length, then that number of structs. */
export function listAt<Element>(
  view: DataView,
  at: number,
  bytes: number,
  read: (view: DataView, at: number) => Element,
): Element[] {
  const count = view.getUint32(at, true);
  const start = at + LIST_LENGTH_BYTES;
  const room = Math.floor((view.byteLength - start) / bytes);
  if (count > room)
    throw malformedAccount(`list had ${count} entries, its account has room for ${room}`);
  return manyAt(view, start, count, bytes, read);
}

/** Returns the error for bytes that are no account of the expected kind. */
export function malformedAccount(message: string): ClientError {
  return new ClientError('MALFORMED_ACCOUNT', message);
}

function outOfRange(field: string, value: number): ClientError {
  return malformedAccount(`${field} was ${value}, which is not a known value`);
}
