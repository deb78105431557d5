/**
 * The text of a query string, by parameter. Checks the rules that hold for every path: unknown names
 * are ignored, a known one is given at most once and is decodable.
 */
import { ServerError } from '../transport/errors.js';

/** Splits a raw query string (without `?`) into the decoded texts of the known names. */
export function splitQuery(
  raw: string,
  known: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, string> {
  return splitRepeating(raw, known, '').texts;
}

/** As {@link splitQuery}, of one name all texts that were given, in their order. */
export function splitRepeating(
  raw: string,
  known: Readonly<Record<string, unknown>>,
  repeated: string,
): { readonly texts: ReadonlyMap<string, string>; readonly values: readonly string[] } {
  const texts = new Map<string, string>();
  const values: string[] = [];
  for (const part of raw.split('&')) {
    const equals = part.indexOf('=');
    const name = decodeComponent(equals < 0 ? part : part.slice(0, equals));
    if (name === undefined || !Object.hasOwn(known, name)) continue;
    const text = decodeComponent(equals < 0 ? '' : part.slice(equals + 1));
    if (text === undefined) {
      throw new ServerError('INVALID_PARAM', `${name} has a malformed percent code`, name);
    }
    if (name === repeated) {
      values.push(text);
      continue;
    }
    if (texts.has(name)) {
      throw new ServerError('INVALID_PARAM', `${name} was given twice, must be given once`, name);
    }
    texts.set(name, text);
  }
  return { texts, values };
}

function decodeComponent(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
