/**
 * The files of the page, which the set-up has built into `dist/page`. All files are read at the
 * start, so a requested path never reaches the file system.
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
  /** The body compressed with gzip; undefined when the build has not compressed the file. */
  readonly gzip: Uint8Array | undefined;
}

/**
 * The files by their paths below the page's address. The page itself has the empty path; the paths
 * of other pages have no file extension.
 */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The content security policy: a page may load its own files and connect to this service. */
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
  '.txt': 'text/plain; charset=utf-8',
};

/** The folders of the built page, relative to the compiled code and to the sources. */
const FOLDERS = ['../../../page', '../../../dist/page'] as const;

/**
 * Reads a built page, by default the page of this package; returns an empty map when the page was
 * not built.
 *
 * # Errors
 * Throws an Error for files that exceed the page's limits in number or size.
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

/** Returns the path of a file; an HTML page is named without its extension. */
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

/**
 * The names of scripts and styles contain a hash of their content; the name of the HTML does not.
 */
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

/** The pages below `embed` may be framed by other sites, because they only display data. */
const embedHeaders: readonly Header[] = [
  ['Content-Security-Policy', `${POLICY}; frame-ancestors *`],
  ['Referrer-Policy', 'no-referrer'],
];
