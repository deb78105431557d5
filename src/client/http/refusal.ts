/** What a service says when it does not answer what it was asked. */

import type { Clock } from '../environment.js';
import { ClientError } from '../error.js';
import { TEXT_CHARS_MAX } from '../limits.js';

/** The error of an answer that is none: the service's own code, or HTTP_STATUS. */
export function refusal(response: Response, body: string, clock: Clock): ClientError {
  const { status } = response;
  const said = errorOf(body);
  const retryAfterMs = retryAfter(response.headers.get('Retry-After'), clock);
  const message = said?.message ?? `the answer was ${status}: ${body.slice(0, TEXT_CHARS_MAX)}`;
  const options = { status, retryAfterMs, param: said?.param };
  return new ClientError(said?.code ?? 'HTTP_STATUS', message, {}, options);
}

/** The error that stands for an entry of a batch; undefined when it is none. */
export function errorOf(
  body: unknown,
):
  | { readonly code: string; readonly message: string; readonly param: string | undefined }
  | undefined {
  const { code, message, param } = membersOf(membersOf(body)['error']);
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, param: typeof param === 'string' ? param : undefined };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

/** Milliseconds of a Retry-After, which is seconds or a date. */
function retryAfter(header: string | null, clock: Clock): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - clock.unixMs();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
