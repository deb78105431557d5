/**
 * The files of the page, which the set-up has built into `dist/page`: read once at the start, so that no
 * path of a client ever names a file.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../../config/limits.js';
import { commonHeaders, type Header } from '../transport/reply.js';

/** One file, ready to be sent. */
export interface PageFile {
  readonly etag: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  /** The same, compressed; undefined where the build has compressed nothing. */
  readonly gzip: Uint8Array | undefined;
}

/** The files by their paths below the address of the page; its HTML is the empty path, another page has no ending. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** What a page may do: load its own files, and speak to this service. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** The built page, relative to the compiled code and to the sources. */
const FOLDERS = ['../../../page', '../../../dist/page'] as const;

/**
 * Reads a built page, by default this package's; empty when the page was not built.
 *
 * # Errors
 * An Error for more or larger files than a page has.
 */
export function readPageFiles(folder: string | undefined = builtFolder()): PageFiles {
  if (folder === undefined) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sent = names.filter((name) => TYPES[path.extname(name)] !== undefined);
  if (sent.length > LIMITS.pageFilesMax) {
    throw new Error(`${folder} has ${sent.length} files, must have at most ${LIMITS.pageFilesMax}`);
  }
  return new Map(
    sent.map((name) => {
      const gzip = names.includes(`${name}.gz`) ? readPart(folder, `${name}.gz`) : undefined;
      const key = pathOf(name);
      const type = TYPES[path.extname(name)] ?? '';
      const framing = key.startsWith('embed/') ? embedHeaders : pageHeaders;
      return [key, pageFile({ type, framing, body: readPart(folder, name), gzip })];
    }),
  );
}

/** The path of a file; pages are named without their ending. */
function pathOf(name: string): string {
  const pathname = name.split(path.sep).join('/');
  return pathname === 'index.html' ? '' : pathname.replace(/\.html$/, '');
}

function builtFolder(): string | undefined {
  return FOLDERS.map((name) => fileURLToPath(new URL(name, import.meta.url))).find(hasPage);
}

function hasPage(folder: string): boolean {
  try {
    return readdirSync(folder).includes('index.html');
  } catch {
    return false;
  }
}

function readPart(folder: string, name: string): Uint8Array {
  const bytes = readFileSync(path.join(folder, name));
  if (bytes.length <= LIMITS.pageFileBytesMax) return bytes;
  const max = LIMITS.pageFileBytesMax;
  throw new Error(`${name} of the page has ${bytes.length} bytes, must have at most ${max}`);
}

interface ServedFile {
  readonly type: string;
  /** The headers of a page. */
  readonly framing: readonly Header[];
  readonly body: Uint8Array;
  readonly gzip: Uint8Array | undefined;
}

/** Scripts and styles have the hash of their content in their names; the HTML keeps its name. */
function pageFile({ type, framing, body, gzip }: ServedFile): PageFile {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const isPage = type.startsWith('text/html');
  const headers: readonly Header[] = [
    ['Content-Type', type],
    ...commonHeaders,
    ['Cache-Control', isPage ? 'no-cache' : 'public, max-age=31536000, immutable'],
    ['Vary', isPage ? 'Accept, Accept-Encoding' : 'Accept-Encoding'],
    ['ETag', etag],
    ...(isPage ? framing : []),
  ];
  return { etag, headers, body, gzip };
}

const pageHeaders: readonly Header[] = [
  ['Content-Security-Policy', `${POLICY}; frame-ancestors 'none'`],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
];

/** The pages below `embed` are made for the frames of others: they show, and do nothing. */
const embedHeaders: readonly Header[] = [
  ['Content-Security-Policy', `${POLICY}; frame-ancestors *`],
  ['Referrer-Policy', 'no-referrer'],
];
