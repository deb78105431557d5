/** A standby whose node is some slots behind that of the core before it: what the log has of an account never goes back. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Relay } from '../../src/sim/relay/relay.js';
import { LogServices } from '../support/log-services.js';
import { ServiceChild } from '../support/service-child.js';
import { until } from '../support/until.js';

const SYMBOLS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP'];
/** 25 slots of this chain: several times as long as a standby takes to have the lease. */
const LATE_MS = 2_500;
/** More than a standby must have followed to go on without a read, and than its node may be behind the log. */
const SLOTS = 40;
/** Between two states that are compared: two relays may find another slot for what is written as one ends. */
const SLOTS_APART = 3;

const services = new LogServices(29);
const ends: (() => Promise<unknown>)[] = [];

beforeAll(() => services.start());
afterEach(async () => {
  await services.killServices();
  for (const end of ends.splice(0)) await end();
});
afterAll(() => services.stop());

interface Order {
  readonly orderId: number;
  readonly size: string;
  readonly maker: string;
}

interface Status {
  readonly epoch: string;
  readonly slot: number;
}

/** The orders that a service shows, with what is left of them. */
async function readOrders(service: ServiceChild): Promise<ReadonlySet<string>> {
  const bodies = SYMBOLS.map(async (symbol) => {
    const { text } = await service.get(`/l3?marketName=${symbol}`);
    const { bids, asks } = JSON.parse(text) as Record<'bids' | 'asks', readonly Order[]>;
    return [...bids, ...asks].map((row) => `${symbol} ${row.maker} ${row.orderId} ${row.size}`);
  });
  return new Set((await Promise.all(bodies)).flat());
}

async function readStatus(service: ServiceChild): Promise<Status> {
  return JSON.parse((await service.get('/status')).text) as Status;
}

/** Waits until two services show the same orders. */
async function showTheSame(one: ServiceChild, other: ServiceChild): Promise<void> {
  await until('the same orders', async () => {
    const [ours, theirs] = await Promise.all([readOrders(one), readOrders(other)]);
    return ours.size === theirs.size && [...ours].every((order) => theirs.has(order));
  });
}

async function slotsPass(count: number): Promise<void> {
  const { slot } = services.demo.clock;
  await until(`${count} slots`, () => services.demo.clock.slot > slot + count);
}

test('a standby whose node is some slots behind sets no account back', async (context) => {
  const log = services.newLog(context, 'behind');
  const { demo } = services;
  const late = await Relay.start(demo.chain);
  ends.push(() => late.stop());
  // A machine that is busy with other tests is no reason to take a core for dead.
  const flags = [...log, '--lease-ms', '1500'];
  const core = await services.keep(ServiceChild.core(demo.relay, flags));
  const edge = await services.keep(ServiceChild.edge(log));
  const lone = await services.keep(ServiceChild.start(demo.relay));
  const standby = await services.keep(ServiceChild.standby(late, flags));
  await slotsPass(SLOTS);
  late.delayBy(LATE_MS);
  // The last of these writes are on their way to the standby when the core is killed.
  const before = new Set<string>();
  for (let round = 0; round < 4; round += 1) {
    for (const order of await readOrders(edge)) before.add(order);
    await slotsPass(SLOTS_APART);
    await demo.step(10);
  }
  await showTheSame(edge, lone);
  const wanted = await readOrders(edge);
  const { epoch, slot } = await readStatus(edge);
  await core.kill();
  const gone = [...before].filter((order) => !wanted.has(order));
  expect(gone).not.toEqual([]);
  const back = new Set<string>();
  await until('a standby that has caught up', async () => {
    const shown = await readOrders(edge);
    for (const order of gone) if (shown.has(order)) back.add(order);
    return (await readStatus(edge)).slot > slot + SLOTS;
  });
  expect([...back]).toEqual([]);
  expect(await readStatus(edge)).toMatchObject({ epoch, state: 'live' });
  expect(await standby.get('/ready')).toMatchObject({ status: 200 });
  await showTheSame(edge, lone);
  await demo.step(20);
  await showTheSame(edge, lone);
});
