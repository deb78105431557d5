import { decodePart } from '../config/secrets.js';
import { findAddress } from '../contract/flag-reader.js';
import { RpcError } from './error.js';

const HIDDEN = '***';

/** The parts of a server's URL, with its secrets in separate members. */
export interface Endpoint {
  /** The URL to open, without user info. */
  readonly url: string;
  /** The Authorization header made from the user info, or null when there is none. */
  readonly authorization: string | null;
  readonly host: string;
  /** The URL with only scheme, host and port, for logs, metrics and errors. */
  readonly shown: string;
}

/** Parses a URL. Errors contain no part of the URL, because even a mistyped URL contains its key. */
export function parseEndpoint(text: string, protocols: readonly string[]): Endpoint {
  const url = findAddress(text, protocols);
  if (url === undefined) {
    const wanted = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw new RpcError('INVALID_RPC_URL', `RPC URL cannot be read: it must begin with ${wanted}`);
  }
  const authorization = authorizationOf(url);
  const shown = shownUrl(url);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { url: url.href, authorization, host: url.host, shown };
}

function shownUrl(url: URL): string {
  const path = url.pathname === '/' || url.pathname === '' ? '' : `/${HIDDEN}`;
  return `${url.protocol}//${url.host}${path}${url.search === '' ? '' : `?${HIDDEN}`}`;
}

function authorizationOf(url: URL): string | null {
  if (url.username === '' && url.password === '') return null;
  const pair = `${decodePart(url.username)}:${decodePart(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
