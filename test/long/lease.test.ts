/** The lease of a core, on a real NATS server. */
import { expect, test } from 'vitest';
import {
  LEASE_PAUSE_MS_MAX,
  LEASE_STOP_MS_MAX,
  NATS_CONNECT_MS_MAX,
} from '../../src/journal/model/limits.js';
import type { LogSetup } from '../../src/journal/model/log-place.js';
import { Lease } from '../../src/journal/nats/lease.js';
import { silentLog } from '../../src/rpc/log.js';
import { sleep, systemTimers } from '../../src/rpc/timers.js';
import { newSetup, server } from '../support/log-scene.js';
import { until } from '../support/until.js';

/** A machine that is busy with other tests is no reason to lose a lease. */
const LEASE_MS = 3_000;

function leaseOf({ log: place }: LogSetup, holder: string, leaseMs = LEASE_MS): Lease {
  return new Lease({ timers: systemTimers, place, holder, leaseMs, replicas: 1, log: silentLog });
}

test('one core has it; another one gets it when it is given back', async (context) => {
  const setup = newSetup(context);
  const [first, second] = [leaseOf(setup, 'one', 60_000), leaseOf(setup, 'two', 60_000)];
  expect(await first.tryHold()).toBe(true);
  expect(await first.tryHold()).toBe(true);
  expect(await second.tryHold()).toBe(false);
  expect([first.isHeld, second.isHeld]).toEqual([true, false]);
  const held = new Promise<void>((resolve) => second.keep(resolve));
  await first.stop();
  await held;
  expect([first.isHeld, second.isHeld]).toEqual([false, true]);
  await second.stop();
});

test('one that is not renewed is over after its time, and its holder learns it', async (context) => {
  const setup = newSetup(context);
  const [first, second] = [leaseOf(setup, 'one', 200), leaseOf(setup, 'two', 200)];
  expect(await first.tryHold()).toBe(true);
  const held = new Promise<void>((resolve) => second.keep(resolve));
  await held;
  await until('it is lost', async () => {
    if (!(await first.tryHold())) return true;
    // A machine that stood still let the second one lose it: it tries again each 40 ms.
    await sleep(systemTimers, 400);
    return false;
  });
  expect(first.isHeld).toBe(false);
  for (const lease of [first, second]) await lease.stop();
});

test('the first core keeps it from the moment in which it has it', async (context) => {
  const setup = newSetup(context);
  const [first, second] = [leaseOf(setup, 'one'), leaseOf(setup, 'two')];
  expect(await first.holdFirst()).toBe(true);
  // It is over on another stream that nobody renews: so would be this one.
  const other = newSetup(context);
  const [clock, waiting] = [leaseOf(other, 'one'), leaseOf(other, 'two')];
  expect(await clock.tryHold()).toBe(true);
  await new Promise<void>((resolve) => waiting.keep(resolve));
  expect(await second.holdFirst()).toBe(false);
  expect(first.isHeld).toBe(true);
  for (const lease of [first, second, clock, waiting]) await lease.stop();
});

test('while NATS cannot be reached nobody is the first', async (context) => {
  const setup = newSetup(context);
  await server.kill();
  const leases = ['one', 'two', 'three'].map((holder) => leaseOf(setup, holder, 60_000));
  let known = 0;
  const results = leases.map(async (lease) => {
    const isFirst = await lease.holdFirst();
    known += 1;
    return isFirst;
  });
  const asked = leaseOf(setup, 'four').tryHold();
  await expect(asked).rejects.toMatchObject({ code: 'LOG_UNREACHABLE' });
  expect(known).toBe(0);
  await server.startAgain();
  expect((await Promise.all(results)).filter((isFirst) => isFirst)).toHaveLength(1);
  for (const lease of leases) await lease.stop();
});

test('a stop does not wait for a server that stands still', async (context) => {
  const setup = newSetup(context);
  const lease = leaseOf(setup, 'one');
  expect(await lease.holdFirst()).toBe(true);
  await server.pause();
  // By then it has asked, and waits.
  await sleep(systemTimers, 5 * LEASE_PAUSE_MS_MAX);
  const stopped = lease.stop().then(() => 'stopped');
  // Without a limit of its own it waits for four requests, one after the other.
  const late = sleep(systemTimers, LEASE_STOP_MS_MAX + 3 * NATS_CONNECT_MS_MAX).then(() => 'late');
  const first = await Promise.race([stopped, late]);
  server.goOn();
  expect(first).toBe('stopped');
  await late;
});
