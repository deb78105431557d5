/** Reads the media types that a client prefers from its Accept header. */
import type { HttpRequest } from '../transport/reply.js';

/** The media type of binary books: docs/binary-bodies.md. */
export const BYTES_TYPE = 'application/vnd.slotbook';

/** The media ranges that match JSON, the most specific first. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'] as const;

/** Returns whether a client names the binary type, and prefers JSON no more than it. */
export function prefersBytes(request: Pick<HttpRequest, 'getHeader'>): boolean {
  const accept = request.getHeader('accept');
  const bytes = qualityOf(accept, BYTES_TYPE) ?? 0;
  if (bytes === 0) return false;
  const json = JSON_RANGES.map((range) => qualityOf(accept, range));
  return bytes >= (json.find((quality) => quality !== undefined) ?? 0);
}

/** Returns whether a client names HTML and prefers it to JSON. */
export function prefersHtml(accept: string): boolean {
  const html = qualityOf(accept, 'text/html') ?? 0;
  return html > 0 && html > (qualityOf(accept, 'application/json') ?? 0);
}

/**
 * Returns the quality, 0 to 1, that a client gives to a media range; undefined when the header does
 * not name the range.
 */
function qualityOf(accept: string, range: string): number | undefined {
  for (const named of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = named.split(';').map((part) => part.trim());
    if (name !== range) continue;
    const [, quality] = /^q=([01](?:\.\d{0,3})?)$/.exec(parameters.at(-1) ?? '') ?? [];
    return Number(quality ?? 1);
  }
  return undefined;
}
