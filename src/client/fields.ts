/**
 * Readers of untrusted values: each takes an unknown value and returns a typed value, or throws
 * MALFORMED_ANSWER with the location of the invalid value. Unknown members are dropped.
 */
import { type Base, type Price, type Quote, rawBase, rawPrice, rawQuote } from './amounts.js';
import { ClientError } from './error.js';

/** Reads a value; errors contain its place. */
export type Read<T> = (value: unknown, place: string) => T;

/** A JSON object from a service; its members are not validated. */
export type Message = Readonly<Record<string, unknown>>;

/** The type that a reader returns. */
export type Of<R> = R extends Read<infer T> ? T : never;

type Shape = Readonly<Record<string, Read<unknown>>>;
type Members<S extends Shape> = { readonly [Name in keyof S]: Of<S[Name]> };
type OptionalMembers<S extends Shape> = { readonly [Name in keyof S]?: Of<S[Name]> };

/** A text. */
export const text: Read<string> = (value, place) =>
  typeof value === 'string' ? value : fail(place, 'a text');

/** True or false. */
export const flag: Read<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : fail(place, 'true or false');

/** A whole number below 2^53. */
export const whole: Read<number> = (value, place) =>
  Number.isSafeInteger(value) ? (value as number) : fail(place, 'a whole number');

/** Reads a number for display, which may be rounded; also accepts a number written as text. */
export const decimal: Read<number> = (value, place) => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return Number.isFinite(number) ? (number as number) : fail(place, 'a number');
};

/** Reads an integer of any size, written as text or as a number. */
export const integer: Read<bigint> = (value, place) => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  return fail(place, 'an integer');
};

/** At 1e6. */
export const price: Read<Price> = (value, place) => rawPrice(integer(value, place));
/** At 1e9. */
export const base: Read<Base> = (value, place) => rawBase(integer(value, place));
/** At 1e6. */
export const quote: Read<Quote> = (value, place) => rawQuote(integer(value, place));

/** One of some words. */
export function word<const W extends string>(...words: readonly W[]): Read<W> {
  return (value, place) =>
    words.find((known) => known === value) ?? fail(place, `one of ${words.join(', ')}`);
}

/** Accepts null as well, and reads a missing member as null. */
export function orNull<T>(read: Read<T>): Read<T | null> {
  return (value, place) => (value === null || value === undefined ? null : read(value, place));
}

/** A list of members of one kind. */
export function list<T>(read: Read<T>): Read<readonly T[]> {
  return (value, place) => {
    return listOf(value, place).map((item, index) => readPart(read, item, place, index));
  };
}

/** An object with any names. */
export function record<T>(read: Read<T>): Read<Readonly<Record<string, T>>> {
  return (value, place) => {
    const entries = Object.entries(objectOf(value, place));
    return Object.fromEntries(entries.map(([name, one]) => [name, read(one, `${place}.${name}`)]));
  };
}

/** An object with required and optional members. */
export function object<S extends Shape, O extends Shape = Record<never, never>>(
  shape: S,
  optional?: O,
): Read<Members<S> & OptionalMembers<O>> {
  const needed = Object.entries(shape);
  const others = Object.entries(optional ?? {});
  return (value, place) => {
    const members = objectOf(value, place);
    const read: Record<string, unknown> = {};
    for (const [name, one] of needed) read[name] = readPart(one, members[name], place, name);
    for (const [name, one] of others) {
      if (members[name] !== undefined) read[name] = readPart(one, members[name], place, name);
    }
    // Every member of both shapes was read by its reader.
    return read as Members<S> & OptionalMembers<O>;
  };
}

/**
 * Reads a part of a value. The place is built only after an error, by reading the part again: a
 * text for each member of each row would be most of the garbage of reading a book.
 */
function readPart<T>(read: Read<T>, value: unknown, place: string, name: string | number): T {
  try {
    return read(value, place);
  } catch {
    return read(value, typeof name === 'number' ? `${place}[${name}]` : `${place}.${name}`);
  }
}

/** The unvalidated items of a list. */
export function listOf(value: unknown, place: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail(place, 'a list');
}

/** The unvalidated members of an object. */
export function objectOf(value: unknown, place: string): Message {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Message;
  }
  return fail(place, 'an object');
}

function fail(place: string, kind: string): never {
  throw new ClientError('MALFORMED_ANSWER', `${place} is not ${kind}`);
}

/** Matches a string or a number of JSON. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * Parses JSON without losing digits: an integer too large for a double becomes text, which the
 * readers of such fields accept.
 */
export function parseExact(json: string): unknown {
  // Most bodies have no number of 16 digits and need no replacement.
  if (!/[\d]{16}/.test(json)) return JSON.parse(json);
  return JSON.parse(json.replace(TEXT_OR_NUMBER, asExactText));
}

function asExactText(token: string): string {
  const isExact = !/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token));
  return isExact ? token : `"${token}"`;
}

/** Parses JSON with every number as its text in the JSON, so no digit is lost. */
export function parseNumbersAsText(json: string): unknown {
  return JSON.parse(
    json.replace(TEXT_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}
