import { describe, expect, test } from 'vitest';
import { FakeBook, startServer } from '../testing/running-server.js';

const FILES = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/init.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/page.css', 'text/css; charset=utf-8'],
] as const;

const server = await startServer(new FakeBook());

describe.each(['', '/v1'])('/docs under "%s"', (prefix) => {
  test.each(FILES)('%s is %s under a strict policy', async (path, type) => {
    const response = await fetch(`${server.url}${prefix}${path}`);
    const { headers } = response;
    expect([response.status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-cache');
    expect((await response.text()).length).toBeGreaterThan(0);
  });
});

test.each(FILES)('docs: %s has a tag that gives 304', async (path) => {
  const etag = (await fetch(`${server.url}${path}`)).headers.get('etag') ?? '';
  const again = await fetch(`${server.url}${path}`, { headers: { 'If-None-Match': etag } });
  expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
});

test('docs: the script is sent compressed to clients that accept gzip', async () => {
  const url = `${server.url}/docs/swagger-ui-bundle.js`;
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  const plain = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(await response.text()).toBe(await plain.text());
});

test('docs: the page loads its own files and nothing else, and holds no script', async () => {
  const page = await (await fetch(`${server.url}/docs`)).text();
  const links = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link);
  expect(links).toEqual([
    'data:,',
    'docs/swagger-ui.css',
    'docs/page.css',
    ...['.', '.', 'page/status', 'page/console', 'page/guide', 'asyncapi.json', 'openapi.json'],
    'docs/swagger-ui-bundle.js',
    'docs/init.js',
  ]);
  expect(page).not.toMatch(/<style|style=|<script>/);
});

test('docs: other files of the package are no paths', async () => {
  for (const path of ['/docs/', '/docs/index.html', '/docs/swagger-ui.js', '/dlob/docs']) {
    expect([path, (await fetch(`${server.url}${path}`)).status]).toEqual([path, 404]);
  }
});
