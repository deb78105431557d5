/** The quote link without NATS. */
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../test/support/until.js';
import { systemTimers } from '../../rpc/timers.js';
import { QuoteLink } from './quote-link.js';

const STREAM = 'denied';
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A link to a server, and its warnings. */
function startLink(url: string) {
  const warnings: object[] = [];
  const log = { info: () => undefined, warn: (fields: object) => void warnings.push(fields) };
  const link = new QuoteLink({
    timers: systemTimers,
    place: { servers: [url], stream: STREAM },
    log,
  });
  link.serveRequests(async () => null);
  const running = link.start();
  ends.push(async () => {
    await link.stop();
    await running;
  });
  return { link, warnings };
}

test('a link that cannot connect says why once, however often it tries', async () => {
  let attempts = 0;
  const server = createServer((socket) => {
    attempts += 1;
    socket.on('error', () => undefined).destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as { port: number };
  const { warnings } = startLink(`nats://127.0.0.1:${port}`);
  await until('some attempts', () => attempts >= 4);
  expect(warnings).toHaveLength(1);
});
