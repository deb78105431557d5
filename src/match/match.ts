/**
 * `slotbook match`: requests the simulated fills of an order from a running service, and prints
 * them.
 *
 * It uses the client library, and imports nothing from the service.
 */
import { parseExact } from '../client/fields.js';
import { type MatchAnswer, matchAnswer } from '../client/generated/books.js';
import { printable } from '../contract/command-result.js';
import { fetchFailure, readResponse } from '../contract/service-response.js';
import { MatchError, type MatchFlags, matchUrl } from './match-options.js';
import { walkLines } from './table.js';

/** Maximum bytes of a response: the largest has 8,192 fills of about 250 bytes. */
export const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** Time limit of a response. */
export const RESPONSE_MS_MAX = 15_000;
/** Printed characters of the service's error. */
export const TEXT_CHARS_MAX = 500;

/** One run. */
interface MatchRun {
  readonly market: string;
  readonly flags: MatchFlags;
  readonly output: { write(text: string): unknown };
}

/**
 * Prints the fills of an order. Resolves with true when a part of the order would fill or rest.
 *
 * # Errors
 *
 * Rejects with a MatchError for an invalid option, or without a valid response.
 */
export async function match({ market, flags, output }: MatchRun): Promise<boolean> {
  const text = await fetchText(matchUrl(market, flags));
  const walk = parseWalk(text);
  const { side = '', quote, raw = false } = flags;
  const lines = flags.json ? [text] : walkLines(walk, { side, inQuote: quote !== undefined, raw });
  output.write(`${lines.join('\n')}\n`);
  return walk.fills.length > 0 || walk.rests !== null;
}

async function fetchText(url: URL): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS_MAX) });
    const text = `${await readResponse(response, RESPONSE_BYTES_MAX, bodyExceeded)}`;
    if (response.status === 200) return text;
    throw new MatchError('MATCH_REFUSED', refusalIn(text, response.status));
  } catch (error) {
    if (error instanceof MatchError) throw error;
    const message = `the service at ${url.host} does not answer: ${fetchFailure(error)}`;
    throw new MatchError('MATCH_UNREACHABLE', message);
  }
}

function bodyExceeded(): MatchError {
  const message = `the response was larger than ${RESPONSE_BYTES_MAX} bytes`;
  return new MatchError('MALFORMED_MATCH', message);
}

/**
 * Matches an error body of the service, with its members in order; the message is a complete JSON
 * string.
 */
const REFUSAL = /"code":"(\w+)","message":("(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")/u;

/** The service's error message, without terminal control characters. */
function refusalIn(text: string, status: number): string {
  const [, code, message] = REFUSAL.exec(text) ?? [];
  if (message === undefined) return `the service answered ${status}`;
  const said = JSON.parse(message) as string;
  return `${code}: ${printable(said.slice(0, TEXT_CHARS_MAX))}`;
}

/** Parses a /match body. Throws a MatchError when it is invalid. */
function parseWalk(text: string): MatchAnswer {
  try {
    return matchAnswer(parseExact(text), 'the response');
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is not a walk';
    throw new MatchError('MALFORMED_MATCH', `the response is malformed: ${reason}`);
  }
}
