/** The proxies of docs/deployment.md before a service that is not ready for a while. */
import { test } from 'vitest';
import {
  FakeBook,
  type RunningServer,
  startServer,
} from '../../src/server/testing/running-server.js';
import { PROXIES, type ProxyProcess } from '../support/proxy-process.js';
import { newAddress, Visitor, withProxy } from '../support/proxy-visitor.js';
import { until } from '../support/until.js';

test.for(PROXIES)('$name passes on that the service is not ready', async (kind, context) => {
  const server = await startServer(new FakeBook());
  const { port } = new URL(server.url);
  // Without health checks a proxy passes on what the service says.
  const path = kind.name === 'nginx' ? '/ready' : '/version';
  const run = (proxy: ProxyProcess) => {
    const visitor = new Visitor(proxy, newAddress());
    return expectReadiness(server, () => visitor.get(path));
  };
  await withProxy(context, kind, run, { port: Number(port) }).finally(() => server.close());
});

/** A visitor's requests fail while the book is not live. */
async function expectReadiness(
  server: RunningServer,
  ask: () => Promise<{ readonly status: number }>,
): Promise<void> {
  const statusIs = (wanted: number) => () => ask().then(({ status }) => status === wanted);
  await until('it is ready', statusIs(200));
  server.readiness = { everLive: true, state: 'stale', reason: 'no slot', slot: 1 };
  await until('it is not ready', statusIs(503));
  server.readiness = { everLive: true, state: 'live', reason: null, slot: 1 };
  await until('it is ready again', statusIs(200));
}
