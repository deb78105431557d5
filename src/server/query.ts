/**
 * The text of a query string, by parameter. Checks the rules that hold for every path: unknown names
 * are ignored, a known one is given at most once and is decodable.
 */
import { quoted, ServerError } from './errors.js';

/** The known parameters of one request, decoded. */
export class Query {
  private constructor(private readonly values: ReadonlyMap<string, string>) {}

  /** Splits a raw query string (without `?`). Only `known` names are looked at. */
  static parse(raw: string, known: ReadonlySet<string>): Query {
    const values = new Map<string, string>();
    for (const part of raw.split('&')) {
      const equals = part.indexOf('=');
      const name = decode(equals < 0 ? part : part.slice(0, equals));
      if (name === undefined || !known.has(name)) continue;
      const value = decode(equals < 0 ? '' : part.slice(equals + 1));
      if (value === undefined) {
        throw new ServerError('INVALID_PARAM', `${name} has a malformed percent code`, name);
      }
      if (values.has(name)) {
        throw new ServerError('INVALID_PARAM', `${name} was given twice, must be given once`, name);
      }
      values.set(name, value);
    }
    return new Query(values);
  }

  /** The text of a parameter; undefined when it was not given. */
  text(name: string): string | undefined {
    return this.values.get(name);
  }

  /** `true` in any case is true; anything else, and nothing, is false. */
  flag(name: string): boolean {
    return this.values.get(name)?.toLowerCase() === 'true';
  }

  /** A whole number within `range`; undefined when it was not given. */
  integer(name: string, range: { readonly min: number; readonly max: number }): number | undefined {
    const text = this.values.get(name);
    if (text === undefined) return undefined;
    if (!/^-?\d+$/.test(text)) {
      throw new ServerError(
        'INVALID_PARAM',
        `${name} was "${quoted(text)}", must be a whole number`,
        name,
      );
    }
    const value = Number(text);
    if (value >= range.min && value <= range.max) return value;
    throw new ServerError(
      'OUT_OF_RANGE',
      `${name} was ${quoted(text)}, must be ${range.min} to ${range.max}`,
      name,
    );
  }
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
