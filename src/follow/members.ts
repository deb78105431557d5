/** Members of a message of the service, read without trust. */
import { Breach } from './breach.js';
import { TEXT_CHARS_MAX } from './limits.js';

/** A JSON object of the service. */
export class Members {
  readonly #members: ReadonlyMap<string, unknown>;

  private constructor(
    value: object,
    private readonly what: string,
  ) {
    this.#members = new Map(Object.entries(value));
  }

  /** Throws a Breach of `malformed` when the value is no object. */
  static of(value: unknown, what: string): Members {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return new Members(value, what);
    }
    throw new Breach('malformed', `${what} is no object`);
  }

  static parse(text: string): Members {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new Breach('malformed', `a message is no JSON: ${text.slice(0, TEXT_CHARS_MAX)}`);
    }
    return Members.of(value, 'a message');
  }

  get(name: string): unknown {
    return this.#members.get(name);
  }

  text(name: string): string {
    const value = this.get(name);
    if (typeof value === 'string') return value;
    throw this.#malformed(name, 'a text');
  }

  /** A whole number, not negative. */
  count(name: string): number {
    const value = this.get(name);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.#malformed(name, 'a whole number');
  }

  flag(name: string): boolean {
    const value = this.get(name);
    if (typeof value === 'boolean') return value;
    throw this.#malformed(name, 'true or false');
  }

  list(name: string): readonly unknown[] {
    const value = this.get(name);
    if (Array.isArray(value)) return value;
    throw this.#malformed(name, 'a list');
  }

  /** An amount that is written as text: decimal digits without a sign or leading zeros. */
  amount(name: string): bigint {
    return amountOf(this.get(name), `${name} of ${this.what}`);
  }

  #malformed(name: string, kind: string): Breach {
    return new Breach('malformed', `${name} of ${this.what} is not ${kind}`);
  }
}

/** Reads an amount; see {@link Members.amount}. */
export function amountOf(value: unknown, what: string): bigint {
  if (typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)) return BigInt(value);
  throw new Breach('malformed', `${what} is no amount`);
}
