/** Stands in for the global `fetch`: hosts of the model network by name, all else over the streams of a world. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { gunzipSync } from 'node:zlib';
import { hostOf, virtualFetch } from '../simulation/network.js';
import { request as sendRequest } from './http.js';

/** Statuses whose replies have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const REDIRECTS_MAX = 5;

type Body = ReadableStream | Uint8Array<ArrayBuffer>;

/** As the global `fetch`, for http alone. */
export async function fetchInWorld(
  input: string | URL | Request,
  init: RequestInit = {},
  redirects = 0,
): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  if (hostOf(url) !== null) {
    return (await virtualFetch(
      url,
      init as Parameters<typeof virtualFetch>[1],
    )) as unknown as Response;
  }
  const response = await receiveHead(url, init);
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  if (status >= 300 && status < 400 && location !== undefined && init.redirect !== 'manual') {
    response.destroy();
    if (init.redirect === 'error' || redirects === REDIRECTS_MAX) {
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    }
    return fetchInWorld(new URL(location, url), init, redirects + 1);
  }
  const headers = new Headers();
  for (let at = 0; at < response.rawHeaders.length; at += 2) {
    headers.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '');
  }
  const isEmpty = WITHOUT_BODY.has(status) || init.method === 'HEAD';
  const body = isEmpty ? null : await bodyOf(response);
  const made = new Response(body, { status, statusText: response.statusMessage ?? '', headers });
  Object.defineProperty(made, 'url', { value: url });
  Object.defineProperty(made, 'redirected', { value: redirects > 0 });
  return made;
}

function receiveHead(url: string, init: RequestInit): Promise<IncomingMessage> {
  const { signal } = init;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const headers: Record<string, string> = { 'accept-encoding': 'gzip, deflate', accept: '*/*' };
    new Headers(init.headers ?? {}).forEach((value, name) => {
      headers[name] = value;
    });
    const { body } = init;
    if (typeof body === 'string') headers['content-length'] = String(Buffer.byteLength(body));
    const sent = sendRequest(url, { method: init.method ?? 'GET', headers }, (response) => {
      response.on('close', () => signal?.removeEventListener('abort', abort));
      resolve(response);
    });
    const abort = (): void => {
      sent.destroy(signal?.reason as Error);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    sent.on('error', (cause) => {
      reject(signal?.aborted === true ? signal.reason : new TypeError('fetch failed', { cause }));
    });
    sent.end(body ?? undefined);
  });
}

async function bodyOf(response: IncomingMessage): Promise<Body> {
  if (response.headers['content-encoding'] !== 'gzip') {
    return Readable.toWeb(response) as unknown as ReadableStream;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return new Uint8Array(gunzipSync(Buffer.concat(chunks)));
}
