/** What a client wants by its Accept header. */
import type { HttpRequest } from '../transport/reply.js';

/** The media type of a book as bytes: docs/binary.md. */
export const BYTES_TYPE = 'application/vnd.slotbook';

/** The ranges that JSON is in, the most exact first. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'] as const;

/** Whether a client asks for bytes by name, and for JSON no more than for them. */
export function prefersBytes(request: Pick<HttpRequest, 'getHeader'>): boolean {
  const accept = request.getHeader('accept');
  const bytes = qualityOf(accept, BYTES_TYPE) ?? 0;
  if (bytes === 0) return false;
  const json = JSON_RANGES.map((range) => qualityOf(accept, range));
  return bytes >= (json.find((quality) => quality !== undefined) ?? 0);
}

/** Whether a client asks for HTML by name, and not for JSON at least as much. */
export function prefersHtml(accept: string): boolean {
  const html = qualityOf(accept, 'text/html') ?? 0;
  return html > 0 && html > (qualityOf(accept, 'application/json') ?? 0);
}

/** How much a client wants a range that it names, from 0 to 1; undefined where it does not. */
function qualityOf(accept: string, range: string): number | undefined {
  for (const named of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = named.split(';').map((part) => part.trim());
    if (name !== range) continue;
    const [, quality] = /^q=([01](?:\.\d{0,3})?)$/.exec(parameters.at(-1) ?? '') ?? [];
    return Number(quality ?? 1);
  }
  return undefined;
}
