import { expect, onTestFinished, test } from 'vitest';
import { FakeLog, PROOF } from '../testing/fake-log.js';
import { FakeBook, startServer } from '../testing/running-server.js';

async function serving(proofs?: FakeLog) {
  const server = await startServer(new FakeBook(), proofs === undefined ? {} : { proofs });
  onTestFinished(() => server.close());
  return server;
}

test('the files of a log are found by the paths of C2SP, and tiles are kept for ever', async () => {
  const log = new FakeLog();
  const server = await serving(log);
  for (const [path, tile] of [
    ['/log/tile/0/000', { level: 0, index: 0, width: 256 }],
    ['/v1/log/tile/2/x001/x234/067.p/9', { level: 2, index: 1_234_067, width: 9 }],
    ['/log/tile/entries/x001/000.p/255', { level: 'entries', index: 1_000, width: 255 }],
  ] as const) {
    const { status, headers } = await server.ask(path);
    expect([status, headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect(log.asked.pop()).toEqual(tile);
  }
  const reply = await fetch(`${server.url}/log/checkpoint`);
  expect(await reply.text()).toBe('a note');
  expect(reply.headers.get('cache-control')).toBe('no-cache');
});

test.each([
  '/log/',
  '/log/tile/0/0',
  '/log/tile/0/001/000',
  '/log/tile/4/000',
  '/log/tile/0/000.p/0',
  '/log/tile/0/000.p/257',
  '/log/tile/data/000',
  '/log/../key',
])('%s is no file of a log', async (path) => {
  const { status, body } = await (await serving(new FakeLog())).ask(path);
  expect(status).toBe(404);
  expect(['NO_PROOF', 'UNKNOWN_PATH']).toContain(body.error.code);
});

test('a proof is of a sequence number, a time, or now', async () => {
  const log = new FakeLog();
  const server = await serving(log);
  for (const [query, at] of [
    ['', { tsMs: Number.POSITIVE_INFINITY }],
    ['&seq=7', { seq: 7 }],
    ['&ts=5', { tsMs: 5 }],
  ] as const) {
    const { status, body } = await server.ask(`/proof?marketName=SOL-PERP${query}`);
    expect([status, body]).toEqual([200, PROOF]);
    expect(log.asked.pop()).toEqual(at);
  }
  const both = await server.ask('/proof?marketName=SOL-PERP&seq=1&ts=1');
  expect([both.status, both.body.error.param]).toEqual([400, 'seq']);
  const none = await server.ask('/proof?marketName=SOL');
  expect([none.status, none.body.error.code]).toEqual([404, 'NO_PROOF']);
  expect((await server.ask('/proof')).status).toBe(400);
});

test('without a key there is no log, and no path of one', async () => {
  const server = await serving();
  for (const path of ['/log/checkpoint', '/proof?marketName=SOL-PERP']) {
    const { status, body } = await server.ask(path);
    expect([status, body.error.code]).toEqual([404, 'NO_PROOF']);
  }
  expect((await server.ask('/')).body.paths).not.toContain('/proof');
});
