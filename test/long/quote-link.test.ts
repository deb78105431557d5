/** What a link of makers' quotes does where NATS does not allow all of it. */
import { expect, test } from 'vitest';
import { QuoteLink } from '../../src/journal/nats/quote-link.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { NatsServer, natsMissing } from '../support/nats-server.js';
import { until } from '../support/until.js';

const STREAM = 'denied';

test('a link that may not subscribe says so, and goes on without', async ({
  skip,
  onTestFinished,
}) => {
  skip(natsMissing !== undefined, natsMissing);
  const denied = [`${STREAM}.makers`, `${STREAM}.quotes`];
  const server = await NatsServer.start(denied);
  onTestFinished(() => server.stop());
  const warnings: object[] = [];
  const log = { info: () => undefined, warn: (fields: object) => void warnings.push(fields) };
  const place = { servers: [server.url], stream: STREAM };
  const link = new QuoteLink({ place, timers: systemTimers, log });
  link.serveRequests(async () => null);
  const running = link.start();
  onTestFinished(async () => {
    await link.stop();
    await running;
  });
  const refusals = () => warnings.filter((warning) => Object.hasOwn(warning, 'subject'));
  await until('two refusals', () => refusals().length >= 2);
  expect(refusals()).toMatchObject(denied.map((subject) => ({ subject })));
  // The reader of its connection goes on: that nobody serves the request comes back.
  await until('no core', async () => {
    const reply = await link.sendRequest('{}');
    return 'failed' in reply && reply.failed === 'noCore';
  });
});
