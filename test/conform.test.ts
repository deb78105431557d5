/** `slotbook conform` against a service, and through a relay that spoils its answers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { conform } from '../src/follow/conform.js';
import { judgePaths } from '../src/follow/path-rules.js';
import { testWorld } from './support/test-world.js';

test('conform: each rule of a sound service passes, with how often it was judged', async () => {
  const scene = await testWorld();
  let text = '';
  const output = { write: (more: string) => (text += more) };
  const stop = new AbortController().signal;
  const run = { url: scene.service.url, output, stop };
  expect(await conform({ ...run, flags: { seconds: '5', json: true } })).toBe(true);
  const { verdicts } = JSON.parse(text);
  for (const { rule, judged } of verdicts) expect(judged, rule).toBeGreaterThan(0);
  expect(verdicts).toHaveLength(19);
});

test('conform: a breach of a path is counted, and a refusal judges nothing', async ({
  onTestFinished,
}) => {
  const level = { price: '1', size: '1' };
  const server = createServer((request, response) => {
    if (request.url === '/l2') {
      response.writeHead(503).end();
      return;
    }
    response.setHeader('ETag', '"a"').setHeader('X-Slot', '8').setHeader('X-State', 'live');
    response.end(JSON.stringify({ slot: 7, state: 'live', bids: [level, level], asks: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const verdicts = await judgePaths(`http://127.0.0.1:${port}`, 'SOL-PERP');
  expect(verdicts.map(({ rule, judged, violations }) => [rule, judged, violations])).toEqual([
    ['unknown market', 5, 5],
    ['missing parameter', 0, 0],
    ['range of depth', 5, 5],
    ['depth and order of levels', 5, 5],
    ['ETag and 304', 5, 5],
    ['X-Slot and X-State', 5, 5],
  ]);
  expect(verdicts[3]?.message).toBe('a side is not sorted, or has a price twice');
});
