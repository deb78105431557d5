/** The lease of a core, on a NATS server. */
import { expect, test } from 'vitest';
import { newSetup, openLog, server, useLogServer } from '../../../test/support/log-scene.js';
import { silentLog } from '../../rpc/log.js';
import { sleep, systemTimers } from '../../rpc/timers.js';
import { LEASE_PAUSE_MS_MAX, LEASE_STOP_MS_MAX, NATS_CONNECT_MS_MAX } from '../model/limits.js';
import type { LogSetup } from '../model/log-place.js';
import { Lease } from './lease.js';

useLogServer();

/** A busy machine must not lose a lease. */
const LEASE_MS = 3_000;

function leaseOf({ log: place }: LogSetup, holder: string, leaseMs = LEASE_MS): Lease {
  return new Lease({ place, holder, leaseMs, replicas: 1, timers: systemTimers, log: silentLog });
}

test('the first core keeps it from the moment in which it has it', async (context) => {
  const setup = newSetup(context);
  const [first, second] = [leaseOf(setup, 'one'), leaseOf(setup, 'two')];
  expect(await first.holdFirst()).toBe(true);
  // An unrenewed lease on another stream expires; this one would too.
  const other = newSetup(context);
  const [clock, waiting] = [leaseOf(other, 'one'), leaseOf(other, 'two')];
  expect(await clock.tryHold()).toBe(true);
  await new Promise<void>((resolve) => waiting.keep(resolve));
  expect(await second.holdFirst()).toBe(false);
  expect(first.isHeld).toBe(true);
  for (const lease of [first, second, clock, waiting]) await lease.stop();
});

test('a core whose bucket is deleted makes another one, and holds that', async (context) => {
  const setup = newSetup(context);
  const [first, second] = [leaseOf(setup, 'one'), leaseOf(setup, 'two')];
  expect(await first.holdFirst()).toBe(true);
  const { manager } = await openLog(setup);
  await manager.streams.delete(`KV_${setup.log.stream}-lease`);
  await sleep(systemTimers, 3 * NATS_CONNECT_MS_MAX);
  expect(await second.holdFirst()).toBe(false);
  expect(first.isHeld).toBe(true);
  for (const lease of [first, second]) await lease.stop();
});

test('a stop does not wait for a server that stands still', async (context) => {
  const setup = newSetup(context);
  const lease = leaseOf(setup, 'one');
  expect(await lease.holdFirst()).toBe(true);
  await server.pause();
  await sleep(systemTimers, 5 * LEASE_PAUSE_MS_MAX);
  const stopped = lease.stop().then(() => 'stopped');
  // Without its own limit it waits for four sequential requests.
  const late = sleep(systemTimers, LEASE_STOP_MS_MAX + 3 * NATS_CONNECT_MS_MAX).then(() => 'late');
  const first = await Promise.race([stopped, late]);
  server.resume();
  expect(first).toBe('stopped');
  await late;
});
