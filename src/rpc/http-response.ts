import type { Timers } from '../contract/timers.js';
import { RpcError } from './error.js';
import { parseJson } from './json.js';
import { BODY_SLICE_BYTES, ERROR_BODY_BYTES_MAX, RETRY_AFTER_CAP_MS } from './limits.js';
import { nextTurn } from './timers.js';

/**
 * JSON-RPC error codes with which a node reports that it is behind its cluster or behind the
 * requested slot.
 */
const NODE_BEHIND_CODES: readonly number[] = [-32005, -32016];

/** Statuses of temporary failures. */
const PASSING_STATUSES: readonly number[] = [408, 425, 500, 502, 503, 504];

/** A temporary or final error, with the wait that the server requested. */
export interface Refusal {
  readonly error: RpcError;
  readonly retry: boolean;
  /** Null without a requested wait. */
  readonly retryAfterMs: number | null;
}

/** Options for reading a body. */
interface BodyReading {
  readonly timers: Pick<Timers, 'soon'>;
  readonly bytesMax: number;
  /** Called with the size of each chunk. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/**
 * Reads a body of at most `bytesMax` bytes into one buffer. Chunks are read, and then joined, in
 * slices with a turn of the event loop in between.
 */
export async function readBody(
  response: Response,
  { timers, bytesMax, onBytes = () => undefined }: BodyReading,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let turnAt = BODY_SLICE_BYTES;
  if (response.body !== null) {
    for await (const chunk of response.body) {
      onBytes(chunk.byteLength);
      size += chunk.byteLength;
      if (size > bytesMax) throw bodyTooLarge(bytesMax);
      chunks.push(chunk);
      if (size < turnAt) continue;
      turnAt = size + BODY_SLICE_BYTES;
      await nextTurn(timers);
    }
  }
  return joinChunks(timers, chunks, size);
}

/** Reads the first bytes of a body, at most `bytesMax`; the rest is not read. */
export async function readBodyStart(response: Response, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null) {
    // Leaving the loop cancels the stream and its connection.
    for await (const chunk of response.body) {
      const kept = chunk.subarray(0, bytesMax - size);
      size += kept.byteLength;
      chunks.push(kept);
      if (size === bytesMax) break;
    }
  }
  return Buffer.concat(chunks, size);
}

function bodyTooLarge(bytesMax: number): RpcError {
  const message = `answer was larger than ${bytesMax} bytes`;
  return new RpcError('RPC_BODY_EXCEEDED', message, { bytesMax });
}

async function joinChunks(
  timers: Pick<Timers, 'soon'>,
  chunks: readonly Uint8Array[],
  size: number,
): Promise<Uint8Array> {
  const first = chunks[0];
  if (first !== undefined && chunks.length === 1) return first;
  const body = Buffer.allocUnsafeSlow(size);
  let at = 0;
  let turnAt = BODY_SLICE_BYTES;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
    if (at < turnAt) continue;
    turnAt = at + BODY_SLICE_BYTES;
    await nextTurn(timers);
  }
  return body;
}

/** Returns the error for a status other than 2xx; `text` is the body. */
export function refusalOfStatus(
  response: Response,
  text: string,
  timers: Pick<Timers, 'unixMs'>,
): Refusal {
  const status = response.status;
  const limited = status === 429;
  const error = new RpcError(
    limited ? 'RPC_RATE_EXCEEDED' : 'RPC_HTTP_STATUS',
    `RPC server answered with HTTP status ${status}`,
    { status, ...(text !== '' && { serverText: text }) },
  );
  return {
    error,
    retry: limited || PASSING_STATUSES.includes(status),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), timers.unixMs()),
  };
}

/**
 * Parses a Retry-After header, seconds or a date, to milliseconds, capped; null when it is absent
 * or unreadable.
 */
export function parseRetryAfter(header: string | null, wallMs: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - wallMs;
  if (Number.isNaN(waitMs)) return null;
  return Math.min(Math.max(waitMs, 0), RETRY_AFTER_CAP_MS);
}

/** Returns the JSON-RPC error in a response, or null when there is none. */
export function refusalOfResponse(response: unknown): Refusal | null {
  if (!isRecord(response) || !isRecord(response['error'])) return null;
  const { code, message } = response['error'];
  const rpcCode = typeof code === 'number' ? code : 0;
  const serverText = typeof message === 'string' ? message.slice(0, ERROR_BODY_BYTES_MAX) : '';
  const behind = NODE_BEHIND_CODES.includes(rpcCode);
  const error = new RpcError(
    behind ? 'RPC_NODE_BEHIND' : 'RPC_REJECTED',
    `RPC server refused with the error ${rpcCode}`,
    { rpcCode, serverText },
  );
  return { error, retry: behind || rpcCode === 429, retryAfterMs: null };
}

/**
 * Works like {@link refusalOfResponse} on raw bytes: only a body as small as an error is parsed.
 */
export function refusalOfBytes(body: Uint8Array): Refusal | null {
  return body.byteLength > ERROR_BODY_BYTES_MAX ? null : refusalOfResponse(parseJson(body));
}

/** Narrows a parsed value to an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
