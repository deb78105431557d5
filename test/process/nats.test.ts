/** A core, its standby and an edge as processes over a real nats-server; test/long has all that befalls them. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LogServices } from '../support/log-services.js';
import { ServiceChild } from '../support/service-child.js';
import { becomesCore, NOTHING, Reader, showsTheChain, statusOf } from '../support/standby-scene.js';
import { until } from '../support/until.js';

const services = new LogServices(22);

beforeAll(() => services.start());
afterEach(() => services.killServices());
afterAll(() => services.stop());

test('a core that is stopped is replaced, and a reader of the edge misses nothing', async (context) => {
  const log = services.newLog(context, 'smoke');
  // Nobody waits for this lease to be over: the core gives it back.
  const flags = [...log, '--lease-ms', '60000'];
  const { relay } = services.demo;
  const core = await services.keep(ServiceChild.core(relay, flags));
  const edge = await services.keep(ServiceChild.edge(log));
  const standby = await services.keep(ServiceChild.standby(relay, flags));
  expect(await standby.get('/ready')).toMatchObject({ status: 503 });
  const { epoch } = await statusOf(edge);
  const reader = await Reader.start(edge);
  const stopMoving = services.demo.keepMoving();
  expect(await core.stop()).toBe(0);
  await becomesCore(standby);
  const coreMs = performance.now();
  await until('a change', () => reader.hasMovedSince(coreMs));
  await stopMoving();
  expect(reader.findings).toEqual(NOTHING);
  expect(await statusOf(edge)).toMatchObject({ epoch, state: 'live' });
  expect(await statusOf(standby)).toMatchObject({ epoch, role: 'core', state: 'live' });
  await showsTheChain(services, edge);
});
