/**
 * `slotbook match`: fetches what an order would get from a running service, and prints the walk.
 *
 * It reads the response with the client library, and imports nothing of the service.
 */
import { parseExact } from '../client/fields.js';
import { type MatchAnswer, matchAnswer } from '../client/http/book-shapes.js';
import { MatchError, type MatchFlags, matchUrl } from './match-options.js';
import { walkLines } from './table.js';

/** The largest response has 8,192 fills of some 250 bytes; there is room for more. */
export const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** A response that takes longer will not come. */
export const RESPONSE_MS_MAX = 15_000;
/** Characters of the service's error that are repeated. */
export const TEXT_CHARS_MAX = 500;

/** One run. */
export interface MatchRun {
  readonly market: string;
  readonly flags: MatchFlags;
  readonly output: { write(text: string): unknown };
}

/**
 * Prints what the order would get. Returns whether any of it would fill or rest.
 *
 * # Errors
 *
 * A MatchError when an option is wrong, or the service has no response.
 */
export async function match({ market, flags, output }: MatchRun): Promise<boolean> {
  const text = await fetchText(matchUrl(market, flags));
  const walk = parseWalk(text);
  const { side = '', quote } = flags;
  const lines = flags.json ? [text] : walkLines(walk, { side, inQuote: quote !== undefined });
  output.write(`${lines.join('\n')}\n`);
  return walk.fills.length > 0 || walk.rests !== null;
}

async function fetchText(url: URL): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS_MAX) });
    const text = await readText(response);
    if (response.status === 200) return text;
    throw new MatchError('MATCH_REFUSED', refusalIn(text, response.status));
  } catch (error) {
    if (error instanceof MatchError) throw error;
    const message = `the service at ${url.host} does not answer: ${reasonOf(error)}`;
    throw new MatchError('MATCH_UNREACHABLE', message);
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > RESPONSE_BYTES_MAX) {
      const message = `the response was larger than ${RESPONSE_BYTES_MAX} bytes`;
      throw new MatchError('MALFORMED_MATCH', message);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** An error of the service, in its own order of members; its message is a whole text of JSON. */
const REFUSAL = /"code":"(\w+)","message":("(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")/u;

/** The service's own words about what is wrong, without what a terminal would act on. */
function refusalIn(text: string, status: number): string {
  const [, code, message] = REFUSAL.exec(text) ?? [];
  if (message === undefined) return `the service answered ${status}`;
  const printable = JSON.parse(message) as string;
  return `${code}: ${printable.slice(0, TEXT_CHARS_MAX).replace(/\p{Cc}/gu, '?')}`;
}

/** The name of what went wrong: messages of fetch may repeat the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.name;
}

/** Reads a body. Throws a MatchError when it is none of /match. */
function parseWalk(text: string): MatchAnswer {
  try {
    return matchAnswer(parseExact(text), 'the response');
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is not a walk';
    throw new MatchError('MALFORMED_MATCH', `the response is malformed: ${reason}`);
  }
}
