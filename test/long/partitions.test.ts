/** Two cores and an edge, each behind a way of its own to NATS, which is parted at random: there are never two writers, and the log has no hole. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectLog, subjectOf } from '../../src/journal/nats/connect.js';
import { LogAppender } from '../../src/journal/nats/log-appender.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { Random } from '../../src/sim/random.js';
import { CorePair } from '../support/core-pair.js';
import { LogAudit } from '../support/log-audit.js';
import { LogServices } from '../support/log-services.js';
import { NatsRelay } from '../support/nats-relay.js';
import { ServiceChild } from '../support/service-child.js';
import { Reader, showsTheChain, statusOf } from '../support/standby-scene.js';
import { until } from '../support/until.js';

const STREAM = 'parted';
const LEASE_MS = 500;
/** `npm run test:long -- partitions` runs a hundred. */
const SCHEDULES = Number(process.env['PARTITIONS'] ?? 3);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const PARTS_OF_EACH = 3;
/** How long one lasts: less than a lease, and several of them. */
const PART_MS = { min: LEASE_MS / 4, max: 5 * LEASE_MS } as const;
const TIMEOUT = { timeout: 300_000 + SCHEDULES * 60_000 };
/** No partition is long enough for an edge to send its readers away, on no machine. */
const STAYS = ['--away-after-ms', '120000'];
/** The lease of the writer alone is lost: it goes on writing while another core takes it. */
const KINDS = ['writer', 'lease', 'standby', 'edge'] as const;

const services = new LogServices(24);
const ends: (() => Promise<unknown>)[] = [];

beforeAll(() => services.start());
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await services.killServices();
});
afterAll(() => services.stop());

/** The way of each core to NATS. */
const relays = new Map<ServiceChild, NatsRelay>();

function relayOf(core: ServiceChild): NatsRelay {
  const relay = relays.get(core);
  if (relay === undefined) throw new Error('Invariant: each core has a way of its own');
  return relay;
}

async function newRelay(): Promise<NatsRelay> {
  const relay = await NatsRelay.start(services.nats.url);
  ends.push(() => relay.stop());
  return relay;
}

async function startCore(start: typeof ServiceChild.core): Promise<ServiceChild> {
  const relay = await newRelay();
  const flags = [...logBehind(relay), '--lease-ms', String(LEASE_MS)];
  const core = await services.keep(start(services.demo.relay, flags));
  relays.set(core, relay);
  return core;
}

function logBehind({ url }: NatsRelay): readonly string[] {
  return ['--nats', url, '--nats-stream', STREAM];
}

/** Some partitions one after the other; what was sent meanwhile arrives late, or never. */
async function partAtRandom(random: Random, pair: CorePair, edge: NatsRelay): Promise<void> {
  for (let part = 0; part < PARTS_OF_EACH; part += 1) {
    const kind = random.pickOne(KINDS) ?? 'writer';
    const [writer, standby] = [relayOf(pair.writer), relayOf(pair.standby)];
    const relay = { writer, lease: writer, standby, edge }[kind];
    relay.part(kind === 'lease' ? 'slotbook lease' : '');
    await sleep(random.nextBetween(PART_MS.min, PART_MS.max));
    if (random.oneIn(2)) relay.join();
    else relay.joinAnew();
    await pair.settle();
  }
}

test(
  'random partitions of cores and an edge from NATS leave one log of one writer at a time',
  TIMEOUT,
  async (context) => {
    services.newLog(context, STREAM);
    const pair = await CorePair.start(startCore);
    const way = await newRelay();
    const edge = await services.keep(ServiceChild.edge([...logBehind(way), ...STAYS]));
    const { epoch } = await statusOf(edge);
    const { follower } = await Reader.start(edge);
    const audit = new LogAudit({ servers: [services.nats.url], stream: STREAM });
    const stopMoving = services.demo.keepMoving();
    ends.push(stopMoving);
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed += 1) {
      await partAtRandom(new Random(seed), pair, way);
      await audit.readMore();
      expect(audit.faults, `SEED=${seed}`).toEqual([]);
      const { delta } = follower.tally.frames;
      await until(`a change after SEED=${seed}`, () => follower.tally.frames.delta > delta);
      expect(await statusOf(edge), `SEED=${seed}`).toMatchObject({ epoch });
    }
    await stopMoving();
    const { broken, resets, reconnects, messages, frames } = follower.tally;
    const found = { broken, resets, reconnects, messages, snapshots: frames.snapshot };
    expect(found).toEqual({ broken: 0, resets: 0, reconnects: 0, messages: [], snapshots: 1 });
    await showsTheChain(services, edge);
    if (process.env['PARTITIONS'] !== undefined) {
      const { writers, messages } = audit;
      process.stdout.write(
        `${SCHEDULES} schedules: ${messages} messages, ${writers} writers, ${pair.fenced} fenced\n`,
      );
    }
  },
);

test('an audit of a log finds what a second writer leaves there', async (context) => {
  const [, url = ''] = services.newLog(context, 'audited');
  const log = { servers: [url], stream: 'audited' };
  const connection = await connectLog(log, 'a test');
  ends.push(() => connection.nats.close());
  const origin = { programId: PROGRAM_ID, genesisHash: PROGRAM_ID };
  const limits = { bytesMax: 1e6, ageMsMax: 3_600_000, replicas: 1 };
  const appender = new LogAppender(connection, { log, ...origin, ...limits });
  await appender.prepareStream();
  const append = (id: string, after?: string): Promise<number> =>
    appender.appendMessage({
      id,
      bytes: Buffer.alloc(1),
      ...(after === undefined ? {} : { after }),
    });
  await append('one.1.0');
  await append('two.1.0', 'one.1.0');
  const audit = new LogAudit(log);
  await audit.readMore();
  expect(audit.faults).toEqual([]);
  // As a writer that was not fenced, one that began without the end of the log, and one that leaves a hole.
  for (const id of ['one.1.1', 'three.1.0', 'three.1.2']) await append(id);
  await connection.stream.publish(subjectOf(log), Buffer.alloc(1), { msgID: 'three.1.3' });
  await audit.readMore();
  expect(audit.faults).toHaveLength(4);
});
