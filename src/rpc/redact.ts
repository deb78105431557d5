import { RpcError } from './error.js';

/** Shorter pieces of a URL (`rpc`, `v1`) are no keys, and hiding them would garble every text. */
const SECRET_CHARS_MIN = 8;
const HIDDEN = '***';
/** The scheme before the credentials in an Authorization header. */
const BASIC = 'Basic ';

/** Where a request goes, taken apart so that its secrets travel alone. */
export interface Endpoint {
  /** The URL to open, without user info. */
  readonly url: string;
  /** The Authorization header that the user info stands for, or null without one. */
  readonly authorization: string | null;
  /** Host and port. */
  readonly host: string;
  /** The URL with everything but scheme, host and port hidden: for logs, metrics and errors. */
  readonly shown: string;
  /** Hides this endpoint's user info, path and query keys wherever they occur in a text. */
  redact(text: string): string;
}

/**
 * Takes a URL apart. Errors name neither the URL nor any part of it, since a mistyped URL holds its
 * key all the same.
 */
export function parseEndpoint(text: string, protocols: readonly string[]): Endpoint {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !protocols.includes(url.protocol)) {
    const wanted = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw new RpcError('INVALID_RPC_URL', `RPC URL cannot be read: it must begin with ${wanted}`);
  }
  const authorization = authorizationOf(url);
  const secrets = secretsOf(url, authorization);
  const shown = shownUrl(url);
  url.username = '';
  url.password = '';
  url.hash = '';
  return {
    url: url.href,
    authorization,
    host: url.host,
    shown,
    redact: (input) => secrets.reduce((kept, secret) => kept.replaceAll(secret, HIDDEN), input),
  };
}

function shownUrl(url: URL): string {
  const path = url.pathname === '/' || url.pathname === '' ? '' : `/${HIDDEN}`;
  return `${url.protocol}//${url.host}${path}${url.search === '' ? '' : `?${HIDDEN}`}`;
}

function authorizationOf(url: URL): string | null {
  if (url.username === '' && url.password === '') return null;
  const pair = `${decodePart(url.username)}:${decodePart(url.password)}`;
  return `${BASIC}${Buffer.from(pair).toString('base64')}`;
}

/** Longest first, so that a secret which contains another is hidden whole. */
function secretsOf(url: URL, authorization: string | null): string[] {
  const parts = [
    ...url.pathname.split('/').filter((part) => part.length >= SECRET_CHARS_MIN),
    ...[...url.searchParams.values()].filter((part) => part.length >= SECRET_CHARS_MIN),
    url.search.length > 1 ? url.search.slice(1) : '',
    url.username,
    url.password,
    // The form in which user info travels, and which a server may repeat.
    authorization?.slice(BASIC.length) ?? '',
  ];
  const all = new Set(parts.flatMap((part) => [part, decodePart(part), encodeURIComponent(part)]));
  all.delete('');
  return [...all].sort((a, b) => b.length - a.length);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
