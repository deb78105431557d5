/**
 * Row `edges`: a core, its log on a real NATS server, and edges, against a lone service on the same
 * chain: the cost and delay of readers, the size of the log, the time until an edge is live, and
 * 10,000 sockets of one edge.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { latencies, sameBooks, sameFrames } from './edge-checks.mjs';
import { logSizes } from './log-sizes.mjs';
import { hasNats, NatsProcess, Program } from './programs.mjs';
import { median, timeInTurns } from './rounds.mjs';
import { sendAll, startLoad, startReaders, subscription } from './servers.mjs';

const SEED = 1;
const FILLS = 1;
/** The demo's life. */
const LIFE = { makers: 200, rate: 100 };
/** As many makers as the demo can have. Each write is of one of them. */
const CROWDED = { makers: 10_000, rate: 100 };
const MARKET = 'SOL-PERP';
const STREAM = 'bench';
/** Of one service, and of each of four. */
const READERS = { one: 500, ofFour: 300 };
const EDGES = 4;
/** A round is long enough for hundredths of a second to say something. */
const ROUND_MS = 3_000;
/** Frames of which the lateness is the median. */
const FRAMES_TIMED = 400;
const STARTS = 3;
const CROWD = { sockets: 10_000, updates: 10, intervalMs: 1_000 };
/** All readers come from one address. */
const OPEN = ['--sockets-per-ip', '0', '--topics-per-ip', '0'];
/** A busy machine is no reason to say that a book is late. */
const PATIENT = ['--lagging-after-ms', '60000', '--stale-after-ms', '60000'];
const MEGABYTE = 1_000_000;
const demo = ({ makers, rate }) => `demo chain, ${makers} makers, ${rate} writes a second`;

/** The row's results; none where there is no NATS server. */
export async function edgeCosts(bench) {
  if (!hasNats()) {
    process.stderr.write('bench: row edges needs nats-server: npm run test:tools\n');
    return [];
  }
  const started = [];
  const keep = (program) => {
    started.push(program);
    return program;
  };
  try {
    const results = await besideLone(bench, keep);
    return [...results, ...(await ofManyUsers(keep))];
  } finally {
    for (const program of started.reverse()) await program.stop();
  }
}

/** A chain, a core that writes its log, and the flags with which others read the one or the other. */
async function startLog(keep, { makers, rate }) {
  const nats = keep(await NatsProcess.start());
  const chain = keep(startLoad('chain'));
  const { rpcUrl, wsUrl } = await chain.ask(`start ${makers} ${rate} ${SEED} ${FILLS}`);
  const node = ['--rpc-url', rpcUrl, '--ws-url', wsUrl, ...PATIENT];
  const log = ['--nats', nats.url, '--nats-stream', STREAM, ...PATIENT];
  keep(await Program.startLoad('core', [...node, ...log]));
  return { nats, chain, lone: [...node, '--no-history', ...OPEN], edge: [...log, ...OPEN] };
}

async function besideLone(bench, keep) {
  const { nats, chain, ...flags } = await startLog(keep, LIFE);
  const lone = keep(await Program.startServer('serve', flags.lone));
  const edges = [keep(await Program.startServer('edge', flags.edge))];
  const checked = await sameBooks(lone, edges[0], MARKET);
  const results = [await againstLone(bench, { lone, edge: edges[0], checked })];
  results.push(await lateness({ lone, edge: edges[0] }));
  await lone.stop();
  while (edges.length < EDGES) edges.push(keep(await Program.startServer('edge', flags.edge)));
  results.push(await againstOne(bench, edges));
  for (const edge of edges) await edge.stop();
  results.push(...logResults(await logSizes(nats.url, STREAM)));
  results.push(await ofManySockets(keep, flags.edge));
  await chain.ask('stop');
  return results;
}

/** Readers of one topic at a service. */
class Crowd {
  #readers = startReaders();

  async open({ port }, count, members = {}) {
    await this.#readers.ask(`connect ${port} ${count} plain`);
    await sendAll(this.#readers, subscription('book', MARKET, members));
    await this.#readers.ask(`expect ${count}`);
    await this.takeDeliveries();
  }

  /** Resolves when so many frames have come. */
  async expect(count) {
    await this.#readers.ask(`expect ${count}`);
  }

  /** How many frames have come since it was asked last. */
  async takeDeliveries() {
    return (await this.#readers.ask('taken')).deliveries;
  }

  stop() {
    return this.#readers.stop();
  }
}

/** The CPU time that several services need for their readers during the same period. */
async function servedTogether(services, count) {
  const crowds = services.map(() => new Crowd());
  for (const [at, crowd] of crowds.entries()) await crowd.open(services[at], count);
  await Promise.all(crowds.map((crowd) => crowd.takeDeliveries()));
  const cpu = services.map((service) => service.cpuNs());
  const wall = process.hrtime.bigint();
  await sleep(ROUND_MS);
  const usedNs = services.map((service, at) => service.cpuNs() - cpu[at]);
  const wallNs = Number(process.hrtime.bigint() - wall);
  const counts = await Promise.all(crowds.map((crowd) => crowd.takeDeliveries()));
  for (const crowd of crowds) await crowd.stop();
  return counts.map((operations, at) => ({ operations, wallNs, cpuNs: usedNs[at] }));
}

/**
 * Measures both sides at the same time: the chain's scenario cannot be repeated, and a busy machine
 * slows both.
 */
async function againstLone(bench, { lone, edge, checked }) {
  let ofLone;
  const ours = async () => {
    const [ofEdge, other] = await servedTogether([edge, lone], READERS.one);
    ofLone = other;
    return ofEdge;
  };
  const turns = { ours, peer: async () => ofLone, warmUp: [ours], rounds: bench.rounds };
  const times = await timeInTurns({ ...turns, judge: 'cpu', better: 'lower' });
  return {
    ...{ row: 'edges', data: demo(LIFE), checked, ...times },
    work: `a delivery to ${READERS.one} readers of an edge: its CPU, the log included`,
    ...{ against: 'a lone service, its node included', bar: 1.15, wish: null, better: 'lower' },
  };
}

async function againstOne(bench, edges) {
  const checked = await sameFrames(edges.slice(0, 2), MARKET);
  const [ours, peer] = [edges, edges.slice(0, 1)].map((side) => async () => {
    return (await servedTogether(side, READERS.ofFour)).reduce(addSides);
  });
  const turns = { ours, peer, warmUp: [ours, peer], rounds: bench.rounds };
  const times = await timeInTurns({ ...turns, judge: 'cpu', better: 'lower' });
  return {
    ...{ row: 'edges', data: demo(LIFE), checked, ...times },
    work: `a delivery of ${EDGES} edges with ${READERS.ofFour} readers each: their CPU`,
    ...{ against: 'one edge with as many', bar: 1.1, wish: null, better: 'lower' },
  };
}

function addSides(one, other) {
  const [operations, cpuNs] = [one.operations + other.operations, one.cpuNs + other.cpuNs];
  return { operations, cpuNs, wallNs: one.wallNs };
}

async function lateness({ lone, edge }) {
  const [ofEdge, ofLone] = await Promise.all(
    [edge, lone].map((service) => latencies(service, MARKET, FRAMES_TIMED)),
  );
  const [value, peer] = [median(ofEdge), median(ofLone)];
  const shown = `${value.toFixed(2)} ms (lone service ${peer.toFixed(2)}, ${(value / peer).toFixed(2)}x)`;
  return {
    ...{ row: 'edges', data: demo(LIFE), value, shown, ratioToLone: value / peer },
    work: `p50 of ${FRAMES_TIMED} frames, from the last news in one at the core to a reader of an edge`,
    ...{ bar: 5, wish: null, better: 'lower', unit: 'ms' },
  };
}

function logResults({ turns, empty, payload, headers, stored }) {
  const bytes = (value) => `${value.toFixed(0)} B`;
  return [
    {
      ...{ row: 'edges', data: demo(LIFE), value: payload + headers },
      work: `mean of the ${turns} messages with turns in the log, headers included`,
      shown: `${bytes(payload + headers)}: ${bytes(payload)} of turns, ${bytes(headers)} of headers; stored ${bytes(stored)}; ${empty} without turns`,
      ...{ bar: 300, wish: null, better: 'lower', unit: 'B' },
    },
  ];
}

/** One edge that has no other reader, before and with its sockets. */
async function ofManySockets(keep, flags) {
  const edge = keep(await Program.startServer('edge', flags));
  await sleep(ROUND_MS);
  const before = edge.residentBytes();
  const crowd = new Crowd();
  await crowd.open(edge, CROWD.sockets, { intervalMs: CROWD.intervalMs });
  const [cpu, startedMs] = [edge.cpuNs(), performance.now()];
  const deliveries = CROWD.sockets * CROWD.updates;
  await crowd.expect(deliveries);
  const [cpuNs, seconds] = [edge.cpuNs() - cpu, (performance.now() - startedMs) / 1_000];
  const after = edge.residentBytes();
  await crowd.stop();
  const megabytes = (bytes) => (bytes / MEGABYTE).toFixed(0);
  const value = (after - before) / MEGABYTE;
  return {
    ...{ row: 'edges', data: demo(LIFE), value },
    work: `memory of ${CROWD.sockets} sockets of one edge, ${CROWD.updates} updates each, one a second at most`,
    shown:
      `${megabytes(after - before)} MB more (${megabytes(after)} MB in all); updates in ` +
      `${seconds.toFixed(1)} s, ${(cpuNs / deliveries / 1_000).toFixed(2)} us CPU a delivery`,
    ...{ bar: 250, wish: null, better: 'lower', unit: 'MB' },
  };
}

async function ofManyUsers(keep) {
  const { chain, edge: flags } = await startLog(keep, CROWDED);
  const starts = [];
  for (let at = 0; at < STARTS; at += 1) {
    const edge = keep(await Program.startServer('edge', flags));
    starts.push(edge.startMs / 1_000);
    await edge.stop();
  }
  await chain.ask('stop');
  const value = median(starts);
  return [
    {
      ...{ row: 'edges', data: demo(CROWDED), value, starts },
      work: 'an edge from the start of its process to its live book',
      shown: `${value.toFixed(2)} s (${starts.map((one) => one.toFixed(2)).join(', ')})`,
      ...{ bar: 3, wish: null, better: 'lower', unit: 's' },
    },
  ];
}
