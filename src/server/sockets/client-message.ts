/**
 * A client's message, which may be any text of at most 4 KiB. Only the object's own members are
 * read, so a name such as `__proto__` has no special meaning.
 */
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { quoteValue, SocketError } from '../transport/errors.js';

/** A number as a client wrote it, which a number here would change. */
class ExactNumber {
  constructor(readonly text: string) {}
}

/** The id of a message, which its reply repeats. */
export type MessageId = string | number | ExactNumber;

/** The JSON text of an id; empty for none. */
export function textOfId(id: MessageId | undefined): string {
  return id instanceof ExactNumber ? id.text : (JSON.stringify(id) ?? '');
}

/** The id of a JSON text; undefined for an empty one. */
export function idOfText(text: string): MessageId | undefined {
  if (text === '' || text.startsWith('"')) return text === '' ? undefined : JSON.parse(text);
  return String(Number(text)) === text ? Number(text) : new ExactNumber(text);
}

/** The JSON text of a reply, whose id is as the client wrote it. Undefined members are omitted. */
export function replyText(reply: object): string {
  if (!('id' in reply && reply.id instanceof ExactNumber)) return JSON.stringify(reply);
  // Quotes within a text are escaped, so that this is the member.
  return JSON.stringify({ ...reply, id: 0 }).replace('"id":0', `"id":${reply.id.text}`);
}

/** A JSON object that a client sent. */
export class ClientMessage {
  readonly #members: ReadonlyMap<string, unknown>;
  /** The prefix of member names in errors, for an object within a message. */
  readonly #path: string;

  /** The text of the message. */
  readonly #text: string;

  private constructor(members: ReadonlyMap<string, unknown>, { path = '', text = '' } = {}) {
    this.#members = members;
    this.#path = path;
    this.#text = text;
  }

  /** Parses a text; undefined when it is not a JSON object. */
  static parse(text: string): ClientMessage | undefined {
    try {
      return ClientMessage.fromValue(JSON.parse(text), { text });
    } catch {
      return undefined;
    }
  }

  /** Wraps a value of a message; undefined when it is not an object. */
  static fromValue(value: unknown, parts: { path?: string; text?: string } = {}) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return new ClientMessage(new Map(Object.entries(value)), parts);
  }

  /** The id of the message; undefined when there is none, or when a reply cannot repeat it. */
  get id(): MessageId | undefined {
    const id = this.#members.get('id');
    if (typeof id === 'string') return [...id].length <= LIMITS.socketIdCharsMax ? id : undefined;
    if (typeof id !== 'number') return undefined;
    if (Number.isSafeInteger(id) && !Object.is(id, -0)) return id;
    const text = numberTextOf(this.#text, 'id');
    return text.length <= LIMITS.socketIdCharsMax ? idOfText(text) : undefined;
  }

  hasMember(name: string): boolean {
    return this.#members.has(name);
  }

  /** Returns the unchanged value of a member; undefined when the member is missing. */
  getValue(name: string): unknown {
    return this.#members.get(name);
  }

  /** Returns a text member in lower case; undefined when the member is missing or not a text. */
  getWord(name: string): string | undefined {
    const value = this.#members.get(name);
    return typeof value === 'string' ? value.toLowerCase() : undefined;
  }

  /**
   * Returns a text member shortened for a reply; undefined when the member is missing or not a
   * text.
   */
  quoteMember(name: string): string | undefined {
    const value = this.#members.get(name);
    return typeof value === 'string' ? quoteValue(value) : undefined;
  }

  /** A member that must be a text. */
  requireText(name: string): string {
    const value = this.#members.get(name);
    if (typeof value === 'string') return value;
    if (value === undefined) throw this.#refusal('MISSING_PARAM', name, 'is missing');
    throw this.#refusal('INVALID_PARAM', name, `was ${kindOf(value)}, must be a text`);
  }

  /** A member that must be an object. */
  requireObject(name: string): ClientMessage {
    const value = this.#members.get(name);
    const object = ClientMessage.fromValue(value, { path: `${this.#path}${name}.` });
    if (object !== undefined) return object;
    throw this.#refusal('INVALID_PARAM', name, `was ${kindOf(value)}, must be an object`);
  }

  /** Returns whether a member is true; a missing member counts as false. */
  readFlag(name: string): boolean {
    if (!this.#members.has(name)) return false;
    const value = this.#members.get(name);
    if (typeof value === 'boolean') return value;
    throw this.#refusal('INVALID_PARAM', name, `was ${kindOf(value)}, must be true or false`);
  }

  /**
   * Returns a whole number that is written as a number or as decimal text; undefined when the
   * member is missing.
   */
  readInteger(
    name: string,
    range: { readonly min: number; readonly max: number },
  ): number | undefined {
    const sent = this.#members.get(name);
    if (sent === undefined) return undefined;
    const value = typeof sent === 'string' && /^-?\d+$/.test(sent) ? Number(sent) : sent;
    const { min, max } = range;
    if (typeof value !== 'number' || (!Number.isInteger(value) && Number.isFinite(value))) {
      const was = typeof sent === 'object' ? kindOf(sent) : `"${quoteValue(String(sent))}"`;
      throw this.#refusal('INVALID_PARAM', name, `was ${was}, must be a whole number`);
    }
    if (value >= min && value <= max) return value;
    const was = quoteValue(String(sent));
    throw this.#refusal('OUT_OF_RANGE', name, `was ${was}, must be ${min} to ${max}`);
  }

  /** Whether a flag is false in any accepted form. */
  isFalse(name: string): boolean {
    return this.#members.get(name) === false || this.getWord(name) === 'false';
  }

  #refusal(code: SocketError['code'], name: string, fault: string): SocketError {
    return new SocketError(code, `${this.#path}${name} ${fault}`);
  }
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;

/** The text of the last member of this name in the text of an object. */
function numberTextOf(text: string, name: string): string {
  let depth = 0;
  let found = '';
  const tokens = text.match(TOKENS) ?? [];
  for (const [at, token] of tokens.entries()) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth !== 1 || tokens[at + 1] !== ':' || JSON.parse(token) !== name) continue;
    found = tokens[at + 2] ?? '';
  }
  return found;
}

/** The market that a member names. */
export function marketIn(
  message: ClientMessage,
  name: 'market' | 'symbol',
  directory: MarketDirectory,
): MarketInfo {
  const row = directory.findMarket(message.requireText(name));
  if (row !== undefined) return row;
  throw new SocketError('UNKNOWN_MARKET', `there is no market ${message.quoteMember(name)}`);
}

/** Whether a subscription requests binary frames. Throws INVALID_PARAM for an unknown encoding. */
export function asksForBytes(message: ClientMessage): boolean {
  const encoding = message.hasMember('encoding') ? message.requireText('encoding') : 'json';
  if (encoding === 'json' || encoding === 'binary') return encoding === 'binary';
  const text = `encoding was "${message.quoteMember('encoding')}", must be json or binary`;
  throw new SocketError('INVALID_PARAM', text);
}

/** Describes a value of the wrong kind in an error message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

/** The error for a malformed message. */
export function malformedMessage(message: string): SocketError {
  return new SocketError('MALFORMED_MESSAGE', message);
}
