/**
 * Rows `grpc` and `merge`: the cost of an account update over gRPC, over a node's subscription, and
 * over two merged sources; a check that no update is lost at 20,000 a second; and the time until
 * the other source takes over from a destroyed one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { median, timeInTurns } from './rounds.mjs';
import { sendAll, startReaders, subscription } from './servers.mjs';
import { MAKERS, SETTLED_MS, withChain } from './streamed-chain.mjs';

/** Accounts a second while costs are measured. */
const RATE = 2_000;
const REST_MS = 5_000;
const BUSY_MS = 5_000;
const FLOOD = { rate: 20_000, seconds: Number(process.env.MERGE_SECONDS ?? 10) };
/** The part of the asked rate that the chain has to reach. */
const RATE_PART_MIN = 0.95;
/** A flood has been read when no more accounts than these came in so long: the Clock has one a slot. */
const DRAINED_MS = 3_000;
const CLOCKS_MAX = 20;
const DRAIN_MS_MAX = 300_000;
const FAIL_OVERS = 3;
/** A destroyed source is back and joined within this time. */
const RESTORED_MS_MAX = 60_000;
const AROUND_MS = 1_500;
const STATE_POLL_MS = 20;
const MEGABYTE = 1_000_000;
const data = `scripted chain, ${MAKERS} makers, ${RATE} accounts a second`;

/** Row `grpc`. */
export function grpcCosts(bench) {
  return withChain('scripted', async (chain) => {
    const ours = await chain.serve(['grpc', 0]);
    const [plain, unpacked] = [await chain.serve(), await chain.serve(['rpc'])];
    const services = [ours, plain, unpacked];
    const checked = await chain.compareBooks(services);
    const rounds = await roundsTogether(bench, chain, services);
    await chain.compareBooks(services);
    const work = 'an account from the gRPC stream to the book: CPU of the service';
    const bars = { bar: 1, wish: 0.33, better: 'lower' };
    const against = [
      "a node's subscription, packed by zstd",
      "a node's subscription in base64, as a source",
    ];
    const results = [];
    for (const [at, other] of against.entries()) {
      const times = await timesOf(rounds, 0, at + 1);
      results.push({ row: 'grpc', work, data, against: other, checked, ...times, ...bars });
    }
    return results;
  });
}

/** Row `merge`. */
export async function mergeCosts(bench) {
  const cost = await withChain('scripted', (chain) => mergeCost(bench, chain));
  // The tests' servers record messages and encode each one separately, so readers would see pauses
  // of those processes.
  const other = await withChain('batched', async (chain) => {
    const two = await chain.serve(['grpc', 0], ['grpc', 1]);
    const ofTwo = [
      ...(await failOver(chain, two)),
      ...(await flood(chain, two, 'each of two streams')),
    ];
    await two.stop();
    const one = await chain.serve(['grpc', 0]);
    return [...ofTwo, ...(await flood(chain, one, 'one stream'))];
  });
  return [cost, ...other];
}

async function mergeCost(bench, chain) {
  const two = await chain.serve(['grpc', 0], ['grpc', 1]);
  const one = await chain.serve(['grpc', 0]);
  const checked = await chain.compareBooks([two, one]);
  const rounds = await roundsTogether(bench, chain, [two, one]);
  await chain.compareBooks([two, one]);
  const times = await timesOf(rounds, 0, 1);
  return {
    ...{ row: 'merge', data, checked, ...times, against: 'one of them' },
    work: 'an account over two merged gRPC streams to the book: CPU of the service',
    ...{ bar: 1.6, wish: null, better: 'lower' },
  };
}

/**
 * All services receive the same accounts during the same period; a round is a list of their CPU
 * times, minus those at rest.
 */
async function roundsTogether(bench, chain, services) {
  await taken(chain, services, RATE, BUSY_MS);
  const rest = await taken(chain, services, 0, REST_MS);
  const rounds = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    const busy = await taken(chain, services, RATE, BUSY_MS);
    rounds.push(
      services.map((_, at) => {
        const restNs = (rest.cpuNs[at] / rest.wallNs) * busy.wallNs;
        return {
          operations: busy.written,
          wallNs: busy.wallNs,
          cpuNs: busy.cpuNs[at] - restNs,
        };
      }),
    );
  }
  return rounds;
}

/**
 * The services' CPU times while accounts are written at a rate, including updates that are pending
 * at the end.
 */
async function taken(chain, services, rate, ms) {
  const cpu = services.map((service) => service.cpuNs());
  const wall = process.hrtime.bigint();
  const before = await chain.process.ask(`load ${rate}`);
  await sleep(ms);
  const after = await chain.process.ask('load 0');
  await sleep(SETTLED_MS);
  const wallNs = Number(process.hrtime.bigint() - wall);
  const cpuNs = services.map((service, at) => service.cpuNs() - cpu[at]);
  return { written: after.written - before.written, wallNs, cpuNs };
}

function timesOf(rounds, ours, peer) {
  const [first, second] = [rounds.values(), rounds.values()];
  const side = (turns, at) => async () => turns.next().value[at];
  return timeInTurns({
    ...{ ours: side(first, ours), peer: side(second, peer), warmUp: [] },
    ...{ rounds: rounds.length, judge: 'cpu', better: 'lower' },
  });
}

/** The pause that a reader of the book sees when the server of one source ends, and whether the book was `live` all the while. */
async function failOver(chain, service) {
  const reader = startReaders();
  await reader.ask(`connect ${service.port} 1 plain`);
  await sendAll(reader, subscription('book', chain.urls.markets[0]));
  await reader.ask('expect 1');
  const [rounds, states] = [[], new Set()];
  const before = await eventsOf(service);
  try {
    for (let round = 0; round < FAIL_OVERS; round += 1) {
      rounds.push(await failOverOnce({ chain, service, reader, states, server: round % 2 }));
    }
  } finally {
    await reader.stop();
  }
  const after = await eventsOf(service);
  const rebuilds = after.rebuilds - before.rebuilds;
  const [pauses, usual, first, own] = ['pause', 'usual', 'first', 'own'].map((name) =>
    rounds.map((round) => round[name]),
  );
  const told = (values) => values.map((one) => one.toFixed(1)).join(', ');
  const value = median(pauses);
  return [
    {
      ...{ row: 'merge', data, value, pauses, usual, first, own },
      work: `longest pause between two frames of a reader once one of two sources is destroyed`,
      shown: `${value.toFixed(1)} ms (${told(pauses)}); the first frame after ${told(first)}; ${median(usual).toFixed(1)} ms (${told(usual)}) while both stand; of the chain's own writes ${told(own)}`,
      ...{ bar: 100, wish: null, better: 'lower', unit: 'ms' },
    },
    {
      ...{ row: 'merge', data, value: rebuilds },
      work: `readings of the book in ${FAIL_OVERS} such fail-overs`,
      shown: `${rebuilds}, state ${[...states]}`,
      ...{ bar: 0, wish: null, better: 'lower', unit: 'readings' },
    },
  ];
}

/** Watches as long while both servers stand as once one is destroyed. */
async function failOverOnce({ chain, service, reader, states, server }) {
  await untilTrusted(service);
  await chain.process.ask(`load ${RATE}`);
  await sleep(AROUND_MS);
  await reader.ask('watch');
  const fromNs = Number(process.hrtime.bigint());
  await watchStates(service, states);
  const usual = longestPauseMs((await reader.ask('times')).times, fromNs);
  await reader.ask('watch');
  await chain.process.ask('beats');
  const watching = watchStates(service, states);
  const { atNs } = await chain.process.ask(`destroy ${server}`);
  await watching;
  const { times } = await reader.ask('times');
  const { longestMs } = await chain.process.ask('beats');
  await chain.process.ask('load 0');
  await chain.process.ask(`restore ${server}`);
  const first = (times.find((time) => time > atNs) - atNs) / 1e6;
  return { usual, pause: longestPauseMs(times, atNs), first, own: longestMs };
}

/** Frames around the end of a server, and after it. */
function longestPauseMs(times, atNs) {
  const from = times.findLastIndex((time) => time <= atNs);
  const behind = times.slice(Math.max(0, from));
  if (behind.length < 2) throw new Error('no frame came behind the end of a source');
  return Math.max(...behind.slice(1).map((time, at) => (time - behind[at]) / 1e6));
}

async function watchStates(service, states) {
  const endMs = performance.now() + AROUND_MS;
  while (performance.now() < endMs) {
    states.add((await service.readJson('/status')).state);
    await sleep(STATE_POLL_MS);
  }
}

async function untilTrusted(service) {
  const endMs = performance.now() + RESTORED_MS_MAX;
  for (;;) {
    const { sources } = await service.readJson('/status');
    if (sources.every(({ state }) => state === 'trusted')) return;
    if (performance.now() > endMs) {
      throw new Error(`sources did not come back: ${JSON.stringify(sources)}`);
    }
    await sleep(100);
  }
}

/** Many accounts a second over its sources; the book afterwards is that of a service that has just read the chain. */
async function flood(chain, service, sources) {
  const before = await eventsOf(service);
  const memory = await memoryOf(service);
  const states = new Set();
  const started = await chain.process.ask(`load ${FLOOD.rate}`);
  const [startMs, cpuNs] = [performance.now(), service.cpuNs()];
  const resident = [];
  while (performance.now() < startMs + FLOOD.seconds * 1_000) {
    states.add((await service.readJson('/status')).state);
    resident.push(service.residentBytes());
    await sleep(100);
  }
  const ended = await chain.process.ask('load 0');
  const loadMs = performance.now() - startMs;
  const busy = (service.cpuNs() - cpuNs) / 1e6 / loadMs;
  await untilDrained(service);
  const seconds = (performance.now() - startMs - DRAINED_MS) / 1_000;
  const after = await eventsOf(service);
  const later = await memoryOf(service);
  const written = ended.written - started.written;
  const fresh = await chain.serve();
  const checked = await chain.compareBooks([fresh, service]);
  const dropped = after.losses - before.losses + after.rebuilds - before.rebuilds;
  const told = `${written} accounts over ${sources} in ${(loadMs / 1_000).toFixed(1)} s`;
  const half = Math.floor(resident.length / 2);
  const mb = (bytes) => (bytes / MEGABYTE).toFixed(0);
  // A chain slower than the requested rate says nothing about that rate.
  const bar = written / (loadMs / 1_000) >= FLOOD.rate * RATE_PART_MIN ? 0 : null;
  return [
    {
      ...{ row: 'merge', data: told, checked, value: dropped },
      work: 'losses and readings of the book in a flood; it equals the chain afterwards',
      shown: `${dropped} (${FLOOD.rate} a second were asked of the chain); ${(written / seconds).toFixed(0)} a second until all were in the book, ${busy.toFixed(2)} of a core, state ${[...states]}`,
      ...{ bar, wish: null, better: 'lower', unit: 'losses' },
    },
    {
      ...{ row: 'merge', data: told, value: (later.heap - memory.heap) / MEGABYTE },
      work: 'growth of the heap of the service in the flood',
      shown: `heap ${mb(memory.heap)} to ${mb(later.heap)} MB, resident ${mb(memory.resident)} to ${mb(later.resident)} MB, at most ${mb(Math.max(...resident.slice(0, half)))} in the first half and ${mb(Math.max(...resident.slice(half)))} in the second`,
      ...{ bar: null, wish: null, better: 'lower', unit: 'MB' },
    },
  ];
}

async function untilDrained(service) {
  const endMs = performance.now() + DRAIN_MS_MAX;
  let last = Number.NEGATIVE_INFINITY;
  for (;;) {
    const { notifications } = await eventsOf(service);
    if (notifications - last <= CLOCKS_MAX) return;
    if (performance.now() > endMs) throw new Error('a flood was never read to its end');
    last = notifications;
    await sleep(DRAINED_MS);
  }
}

async function metricsOf(service) {
  return (await fetch(`${service.url}/metrics`)).text();
}

async function eventsOf(service) {
  const text = await metricsOf(service);
  const events = text.matchAll(/^slotbook_feed_events_total\{event="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...events].map(([, name, count]) => [name, Number(count)]));
}

async function memoryOf(service) {
  const text = await metricsOf(service);
  const heap = Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1]);
  return { heap, resident: service.residentBytes() };
}
