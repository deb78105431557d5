import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';
import { prefersHtml } from './accept.js';
import { readPageFiles } from './page-files.js';

const HTML = '<!doctype html><title>slotbook</title>';
const SCRIPT = 'export const answer = 42;';
/** As Chromium sends it. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

let folder: string;
let server: RunningServer;
let bare: RunningServer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'slotbook-page-'));
  mkdirSync(path.join(folder, 'page'));
  writeFileSync(path.join(folder, 'index.html'), HTML);
  mkdirSync(path.join(folder, 'embed'));
  writeFileSync(path.join(folder, 'embed', 'ladder.html'), '<title>ladder</title>');
  writeFileSync(path.join(folder, 'page', 'status.html'), '<title>status</title>');
  writeFileSync(path.join(folder, 'page', 'main-1a2b.js'), SCRIPT);
  writeFileSync(path.join(folder, 'page', 'main-1a2b.js.gz'), gzipSync(SCRIPT));
  writeFileSync(path.join(folder, 'page', 'main-3c4d.css'), 'body{}');
  writeFileSync(path.join(folder, 'page', 'notes.map'), 'not a part');
  server = await startServer(new FakeBook(), { page: readPageFiles(folder) });
  bare = await startServer(new FakeBook(), { page: new Map() });
});

afterAll(() => {
  server?.close();
  bare?.close();
  rmSync(folder, { recursive: true, force: true });
});

function get(target: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}${target}`, { headers });
}

describe('/', () => {
  test.each(['/', '/v1/'])(
    '%s is the page for a browser, under a strict policy',
    async (target) => {
      const response = await get(target, { Accept: BROWSER });
      expect(await response.text()).toBe(HTML);
      const { headers } = response;
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('set-cookie')).toBeNull();
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
        'no-cache',
        'Accept, Accept-Encoding',
      ]);
    },
  );

  test.each(['*/*', 'application/json', 'application/json, text/html;q=0.9', ''])(
    'is the list of paths for Accept: %s',
    async (accept) => {
      const response = await get('/', { Accept: accept });
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('vary')).toBe('Accept');
      expect(await response.json()).toHaveProperty('paths');
    },
  );

  test('is the list for a browser as well where no page was built', async () => {
    const response = await fetch(`${bare.url}/`, { headers: { Accept: BROWSER } });
    expect(await response.json()).toHaveProperty('paths');
  });
});

test.each(['/page/status', '/v1/page/status'])('%s is a page for everybody', async (target) => {
  const response = await get(target);
  expect(await response.text()).toBe('<title>status</title>');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('cache-control')).toBe('no-cache');
});

test('/embed/ladder may stand in a frame of any page', async () => {
  const { headers } = await get('/embed/ladder?market=SOL-PERP');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; .*; frame-ancestors \*$/,
  );
  expect(headers.get('x-frame-options')).toBeNull();
});

describe('the files of the page', () => {
  test.each(['', '/v1'])(
    'are cached for good under "%s", as their names change',
    async (prefix) => {
      const response = await get(`${prefix}/page/main-1a2b.js`);
      expect(await response.text()).toBe(SCRIPT);
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    },
  );

  test('are sent as the build has compressed them', async () => {
    const zipped = await get('/page/main-1a2b.js', { 'Accept-Encoding': 'gzip' });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    const plain = await get('/page/main-1a2b.js', { 'Accept-Encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await zipped.text()).toBe(await plain.text());
  });

  test.each(['/', '/page/main-3c4d.css'])('%s has a tag that gives 304', async (target) => {
    const etag = (await get(target, { Accept: BROWSER })).headers.get('etag') ?? '';
    const again = await get(target, { Accept: BROWSER, 'If-None-Match': etag });
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
  });

  test.each([
    '/page',
    '/page/',
    '/page/status.html',
    '/page/other.js',
    '/page/notes.map',
    '/page/main-1a2b.js.gz',
    '/page/..%2findex.html',
    '/page/%2e%2e/%2e%2e/package.json',
    '/index.html',
  ])('%s is no path', async (target) => {
    expect((await get(target)).status).toBe(404);
  });

  test('are refused at the start when one is larger than a part of a page is', () => {
    const name = path.join(folder, 'page', 'large.js');
    writeFileSync(name, Buffer.alloc(LIMITS.pageFileBytesMax + 1));
    try {
      expect(() => readPageFiles(folder)).toThrow(`must have at most ${LIMITS.pageFileBytesMax}`);
    } finally {
      rmSync(name);
    }
  });
});

test.each([
  ['text/html', true],
  ['TEXT/HTML;q=0.5', true],
  ['text/html;q=0', false],
  ['text/html;q=0.5, application/json;q=0.6', false],
  ['text/*', false],
])('Accept: %s prefers HTML: %s', (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected);
});
