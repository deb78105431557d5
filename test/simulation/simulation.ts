/** One run of six virtual minutes: a world from a seed, the service in it, and what must hold throughout. */
import { createHash, type Hash } from 'node:crypto';
import { LIMITS } from '../../src/config/limits.js';
import type { Flags } from '../../src/config/setting-reader.js';
import type { ProgramName } from '../../src/contract/program.js';
import { Random } from '../../src/sim/random.js';
import type { StreamRequest } from '../support/stream-follower.js';
import { Blindness } from './blindness.js';
import { BookTruth } from './book-truth.js';
import { type PlannedFault, type RunShape, randomFaults, randomShape } from './fault-plan.js';
import type { FaultTarget } from './faults.js';
import { type Machine, useMachine } from './globals.js';
import { useGrpcHosts } from './grpc-network.js';
import { HistoryTruth } from './history-truth.js';
import { lifeOf, SLOT_MS } from './market-life.js';
import { ModelChain } from './model-chain.js';
import { ModelGrpc } from './model-grpc.js';
import { ModelLedger } from './model-ledger.js';
import { ModelNode } from './model-node.js';
import { ModelReader } from './model-reader.js';
import { useHosts } from './network.js';
import { playFault } from './play-fault.js';
import { ReaderTruth } from './reader-truth.js';
import { textOf, textOfBody } from './record-text.js';
import { RunDisk } from './run-disk.js';
import { SimulatedService } from './simulated-service.js';
import { failDisk } from './stand-ins/libsql.js';
import { openPort } from './stand-ins/uws.js';
import { crashWorker } from './stand-ins/worker-link.js';
import { VirtualTime, WORLD } from './virtual-time.js';

/** Length of a run. */
const RUN_MS = 360_000;
/** After the last fault everything is as it should be within this time. */
const HEALED_MS_MAX = 30_000;
/** With a sound node at hand the book is live again within this time. */
const NOT_LIVE_MS_MAX = 45_000;
/** From the beginning of a slot to its check: what was written in the last one has arrived by then. */
const CHECK_MS = 350;
/** Between two checks. */
const CHECK_SLOTS = 2;
/** Lives that a process makes: they are costly, and what differs most between runs is the faults. */
const LIVES = 4;
/** Clients that read, each on a connection of its own. */
const READERS: readonly (readonly StreamRequest[])[] = [
  [{ channel: 'book', market: 'SOL-PERP', depth: 20 }],
  [
    { channel: 'l3', market: 'ETH-PERP', depth: 50 },
    { channel: 'bbo', market: 'BTC-PERP' },
  ],
  // By its key a market is followed under any name.
  [{ channel: 'book', market: 'perp_1', depth: 50 }],
];
/** After the process was stopped a client may have left it. */
const PAUSE_EXCUSED_MS = 4_000;
const REQUEST_MS = 5_000;
const STATUS_PATHS: readonly string[] = ['/health', '/status'];
const REQUESTS = [
  { path: '/health', query: '' },
  { path: '/status', query: '' },
  { path: '/ready', query: '' },
  { path: '/l2', query: 'marketName=SOL-PERP&depth=5' },
  { path: '/l2', query: 'marketType=perp&marketIndex=1&depth=5' },
];
const HISTORY_CHECK_MS = 39_000;
const TRADES = { path: '/trades', query: 'symbol=SOL-PERP&limit=1000' };
/** One frame may exceed the bytes that wait for a client. */
const MESSAGE_BYTES_MAX = 256 * 1024;
/** What waits for all clients of a run: far below the limit of the service, which they do not reach. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** Violations that a run names before it ends. */
const VIOLATIONS_MAX = 5;

/** What a run is made of. */
export interface RunOptions {
  readonly seed: number;
  /** The program of the chain; Drift v2 by default. */
  readonly program?: ProgramName;
  /** A random one by default. */
  readonly shape?: RunShape;
  /** Random ones by default. */
  readonly faults?: typeof randomFaults;
  readonly flags?: Flags;
  /** Whether the book may not be anything but live from the first fault on. */
  readonly staysLive?: boolean;
  /** Receives each line of the run's record. */
  readonly writeLine?: (line: string) => void;
}

/** How a run went. */
interface RunReport {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Of the whole record: the same seed gives the same one. */
  readonly hash: string;
  readonly events: number;
  /** Faults of each kind. */
  readonly faults: Readonly<Record<string, number>>;
}

/** Runs one seed. */
export async function simulate(options: RunOptions): Promise<RunReport> {
  const run = new Run(options);
  await run.play();
  return run.report();
}

/** One run. */
class Run {
  readonly #options: RunOptions;
  readonly #time = new VirtualTime();
  readonly #random: Random;
  readonly #hash: Hash = createHash('sha256');
  readonly #chain: ModelChain;
  readonly #truth: BookTruth;
  readonly #ledger: ModelLedger;
  readonly #historyTruth: HistoryTruth;
  readonly #disk = new RunDisk();
  readonly #shape: RunShape;
  readonly #nodes: readonly ModelNode[];
  readonly #scanNode: ModelNode | null;
  readonly #servers: readonly ModelGrpc[];
  readonly #faults: readonly PlannedFault[];
  readonly #readers: readonly ModelReader[];
  readonly #readerTruth: ReaderTruth;
  readonly #machine: Machine;
  readonly #violations: string[] = [];
  readonly #counts: Record<string, number> = {};
  #service: SimulatedService;
  /** Of each episode of faults. */
  readonly #victims = new Map<number, ModelNode>();
  #pausedUntilMs = 0;
  #liveAtMs = 0;
  readonly #blindness: Blindness;
  #lastState = '';

  constructor(options: RunOptions) {
    const { seed, faults = randomFaults } = options;
    this.#options = options;
    this.#random = new Random(seed);
    this.#shape = options.shape ?? randomShape(this.#random, new Random(seed + 3));
    this.#machine = { time: this.#time, random: new Random(seed + 1), wallErrorMs: 0 };
    useMachine(this.#machine);
    this.#time.onThrown = (error, owner) => this.#recordThrown(error, owner);
    const life = lifeOf(seed % LIVES, options.program);
    this.#chain = new ModelChain({ time: this.#time, life, seed });
    this.#truth = new BookTruth(this.#chain, life);
    this.#ledger = new ModelLedger(this.#chain, new Random(seed + 2));
    this.#historyTruth = new HistoryTruth(this.#ledger);
    const count = this.#shape.nodes + (this.#shape.hasScanNode ? 1 : 0);
    const all = Array.from({ length: count }, (_, index) => {
      const [chain, ledger] = [this.#chain, this.#ledger];
      return new ModelNode({ name: `node-${index}`, chain, ledger, seed: seed * 31 + index });
    });
    this.#nodes = all.slice(0, this.#shape.nodes);
    this.#scanNode = all[this.#shape.nodes] ?? null;
    useHosts(new Map(all.map((node) => [node.name, node])));
    this.#servers = Array.from({ length: this.#shape.merged?.servers ?? 0 }, (_, index) => {
      const name = `server-${index}`;
      return new ModelGrpc({ name, chain: this.#chain, seed: seed * 37 + index });
    });
    useGrpcHosts(new Map(this.#servers.map((server) => [server.name, server])));
    this.#blindness = new Blindness(this.#nodes, this.#servers);
    this.#faults = faults(this.#random, this.#shape, new Random(seed + 4));
    const listener = { onViolation: (text: string) => this.#violateAsReader(text) };
    this.#readers = READERS.map((requests, index) => {
      return new ModelReader({ ip: `10.0.0.${index + 1}`, requests, listener });
    });
    this.#readerTruth = new ReaderTruth(this.#readers);
    this.#service = new SimulatedService();
  }

  async play(): Promise<void> {
    process.on('unhandledRejection', this.#handleRejection);
    this.#chain.listen({
      handleState: (state) => this.#truth.recordState(state),
      handleFork: () => this.#truth.recordMoment(this.#time.nowMs),
      handleSlot: (_slot, ended) => this.#endSlot(ended),
    });
    this.#truth.recordMoment(0);
    this.#chain.start();
    if (this.#shape.merged !== null) this.#record(`merged ${JSON.stringify(this.#shape.merged)}`);
    for (const fault of this.#faults) this.#planFault(fault);
    this.#startService();
    for (const reader of this.#readers) reader.start();
    this.#planCheck(CHECK_MS);
    this.#planRequests();
    if (this.#shape.hasHistory) this.#planHistoryCheck(HISTORY_CHECK_MS);
    await this.#time.runUntil(RUN_MS - SLOT_MS + CHECK_MS);
    this.#checkHealed();
    this.#service.kill();
    failDisk(null);
    this.#disk.remove();
    // What a killed service waited for keeps the time for ever, and must not keep the run.
    this.#time.stop();
    this.#time.onThrown = () => undefined;
    process.off('unhandledRejection', this.#handleRejection);
  }

  report(): RunReport {
    return {
      seed: this.#options.seed,
      violations: this.#violations,
      hash: this.#hash.copy().digest('hex').slice(0, 16),
      events: this.#time.ran,
      faults: this.#counts,
    };
  }

  #endSlot(slot: number): void {
    this.#time.plan(0, () => this.#truth.recordMoment(this.#time.nowMs));
    for (const fill of this.#ledger.endSlot(slot, this.#time.nowMs)) {
      for (const node of this.#nodes) node.handleFill(fill);
    }
    for (const write of this.#ledger.confirmWrites(slot)) {
      for (const node of this.#nodes) node.handleWriteLog(write);
    }
  }

  #startService(): void {
    const { owner } = this.#service;
    this.#service.start(this.#flags(), (level, fields, message) => {
      this.#record(`${owner} ${level} ${message} ${textOf(fields)}`);
    });
  }

  #flags(): Flags {
    const [first, second] = this.#nodes;
    const urls = { rpcUrl: `http://${first?.name}`, wsUrl: `ws://${first?.name}` };
    const dataDir = this.#disk.folder;
    const fallback = {
      fallbackRpcUrl: `http://${second?.name}`,
      fallbackWsUrl: `ws://${second?.name}`,
    };
    const scans = this.#scanNode === null ? {} : { snapshotUrl: `http://${this.#scanNode.name}` };
    const history = this.#shape.hasHistory ? { dataDir } : { history: false };
    return {
      ...urls,
      ...scans,
      ...history,
      ...(second === undefined ? {} : fallback),
      ...this.#sourceFlags(),
      program: this.#chain.program,
      ...this.#options.flags,
    };
  }

  #sourceFlags(): Flags {
    const { merged } = this.#shape;
    if (merged === null) return {};
    const nodes = this.#nodes.slice(0, merged.nodes).map(({ name }) => `rpc:http://${name}`);
    const servers = this.#servers.map(({ name }) => `grpc:http://${name}`);
    return { source: [...nodes, ...servers].join() };
  }

  #planFault({ kind, atMs, lastsMs, episode, victim, backAfterMs }: PlannedFault): void {
    if (backAfterMs !== undefined) {
      this.#time.planAt(atMs + backAfterMs, () => this.#checkBack(kind.name));
    }
    this.#time.planAt(atMs, () => {
      const node = this.#victims.get(episode) ?? this.#chooseVictim(victim);
      this.#victims.set(episode, node);
      const target = this.#targetOf(node);
      this.#record(`fault ${node.name} ${kind.name} for ${lastsMs} ms`);
      this.#counts[kind.name] = (this.#counts[kind.name] ?? 0) + 1;
      playFault({ kind, lastsMs, target, server: this.#servers[0] }, () => {
        this.#record(`over ${node.name} ${kind.name}`);
      });
    });
  }

  #targetOf(node: ModelNode): FaultTarget {
    const machine = {
      pauseService: (pauseMs: number) => this.#pauseService(pauseMs),
      restartService: (downMs: number) => this.#restartService(downMs),
      setWallError: (errorMs: number) => {
        this.#machine.wallErrorMs = errorMs;
      },
      failDisk,
      crashWorker,
    };
    const [chain, readers, random] = [this.#chain, this.#readers, this.#random];
    return { chain, node, machine, readers, random };
  }

  #pauseService(pauseMs: number): void {
    this.#time.pauseOwner(this.#service.owner, pauseMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#time.nowMs + pauseMs);
  }

  #restartService(downMs: number): void {
    // The copy comes first: closing its files is more than a process does that is killed.
    this.#disk.moveOn();
    this.#service.kill();
    const service = new SimulatedService();
    this.#service = service;
    this.#time.plan(downMs, () => {
      if (this.#service === service) this.#startService();
    });
  }

  /** A client that gets nothing from a process that is stopped is right to leave it. */
  #violateAsReader(text: string): void {
    const isExcused = this.#time.nowMs < this.#pausedUntilMs + PAUSE_EXCUSED_MS;
    if (!isExcused) this.#violate(text);
  }

  /** Requests now and then: none may fail. */
  #planRequests(): void {
    this.#time.plan(REQUEST_MS, () => {
      this.#planRequests();
      for (const { path, query } of REQUESTS) {
        openPort()?.request({ path, query, ip: '10.0.1.1' }, ({ status }) => {
          const isRefused = status === 503 && !STATUS_PATHS.includes(path);
          if (status !== 200 && !isRefused) this.#violate(`${path} returned ${status}`);
        });
      }
    });
  }

  /** All stored fills are read now and then, and none that was seen may be missing or come twice. */
  #planHistoryCheck(delayMs: number): void {
    this.#time.plan(delayMs, () => {
      this.#planHistoryCheck(HISTORY_CHECK_MS);
      const { path, query } = TRADES;
      openPort()?.request({ path: '/status', query: '', ip: '10.0.1.2' }, ({ body }) => {
        const wrong = this.#historyTruth.findStanding(textOfBody(body), this.#time.nowMs);
        if (wrong !== null && this.#isHealed) this.#violate(wrong);
      });
      openPort()?.request({ path, query, ip: '10.0.1.2' }, ({ status, body }) => {
        if (status === 200) this.#checkTrades(textOfBody(body));
        else if (this.#isHealed) this.#violate(`/trades returned ${status}`);
      });
    });
  }

  #checkTrades(body: string): void {
    const wrong = this.#historyTruth.findWrong(body);
    if (wrong !== null) this.#violate(wrong);
    const missing = this.#historyTruth.findMissing(body, this.#time.nowMs, this.#nodes);
    if (missing !== null && this.#isHealed) this.#violate(missing);
    this.#record(`${this.#historyTruth.seenCount} fills are stored`);
  }

  /** The node in use, or the other one. */
  #chooseVictim(victim: PlannedFault['victim']): ModelNode {
    const inUse = this.#nodes.find(({ isInUse }) => isInUse);
    const other = this.#nodes.find((node) => node !== inUse);
    if (victim === 'scans' && this.#scanNode !== null) return this.#scanNode;
    const chosen = victim === 'inUse' ? (inUse ?? other) : (other ?? inUse);
    if (chosen === undefined) throw new Error('Invariant: a run has a node');
    return chosen;
  }

  #planCheck(delayMs: number): void {
    this.#time.plan(delayMs, () => {
      this.#planCheck(CHECK_SLOTS * SLOT_MS);
      this.#checkBook();
    });
  }

  #checkBook(): void {
    const { engine } = this.#service;
    if (engine === null) return;
    if (this.#time.nowMs < this.#pausedUntilMs) {
      this.#truth.forgetWrong();
      return;
    }
    this.#checkMemory();
    if (engine.state !== this.#lastState) this.#record(`the book is ${engine.state}`);
    this.#lastState = engine.state;
    if (engine.state !== 'live') {
      this.#truth.forgetWrong();
      this.#readerTruth.forgetStrays();
      this.#checkLiveness();
      this.#checkStaysLive(engine.state);
      return;
    }
    this.#liveAtMs = this.#time.nowMs;
    const wrong = this.#truth.findWrong(engine, {
      nowMs: this.#time.nowMs,
      blindMs: this.#blindness.readMs(this.#time.nowMs),
    });
    if (wrong !== null) this.#violate(wrong);
    const stray = this.#readerTruth.findStray(engine, this.#time.nowMs);
    if (stray !== null) this.#violateAsReader(stray);
    if (this.#isHealed) this.#checkHealed();
  }

  get #isHealed(): boolean {
    return this.#time.nowMs >= this.#lastFaultMs + HEALED_MS_MAX;
  }

  get #lastFaultMs(): number {
    return this.#faults.reduce((last, { atMs, lastsMs }) => Math.max(last, atMs + lastsMs), 0);
  }

  /** One node is sound at any time, so the book may not be away for long. */
  #checkLiveness(): void {
    const sinceMs = this.#time.nowMs - Math.max(this.#liveAtMs, this.#service.startedAtMs);
    if (this.#nodes.length === 1 || sinceMs <= NOT_LIVE_MS_MAX) return;
    this.#violate(`the book was not live for ${Math.round(sinceMs)} ms`);
    this.#liveAtMs = this.#time.nowMs;
  }

  #checkStaysLive(state: string | null): void {
    const fromMs = Math.min(...this.#faults.map(({ atMs }) => atMs));
    const mustBeLive = this.#options.staysLive === true && this.#time.nowMs >= fromMs;
    if (mustBeLive) this.#violate(`the book was ${state}, must stay live`);
  }

  #checkBack(after: string): void {
    const { engine } = this.#service;
    const isBack = engine?.state === 'live' && this.#truth.isRight(engine);
    if (!isBack) this.#violate(`the book was ${engine?.state} or wrong, so long after: ${after}`);
  }

  #checkMemory(): void {
    const waiting = openPort()?.waitingBytesMax ?? 0;
    const waitingMax = LIMITS.socketBufferBytesMax + MESSAGE_BYTES_MAX;
    if (waiting > waitingMax) this.#violate(`${waiting} bytes waited for a client`);
    const all = openPort()?.waitingBytes ?? 0;
    if (all > WAITING_BYTES_MAX) this.#violate(`${all} bytes waited for all clients`);
  }

  #checkHealed(): void {
    const { engine } = this.#service;
    const lacking = this.#readerTruth.findNotFollowed();
    if (lacking !== null) this.#violate(lacking);
    if (engine?.state !== 'live') this.#violate(`the book was ${engine?.state}, must be live`);
    else if (this.#time.nowMs >= RUN_MS - SLOT_MS) {
      const difference = this.#truth.findDifference(engine);
      if (difference !== null) this.#violate(`at the end: ${difference}`);
      for (const { frames } of this.#readers) this.#record(`a reader has ${frames} frames`);
      for (const wrong of this.#readerTruth.findWrong(engine)) this.#violate(wrong);
    }
  }

  #recordThrown(error: unknown, owner: number): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (owner === WORLD) throw error;
    this.#violate(`the service threw: ${text}`);
  }

  readonly #handleRejection = (error: unknown): void => {
    this.#violate(`a promise was rejected without a catch: ${String(error)}`);
  };

  #violate(text: string): void {
    if (this.#violations.length >= VIOLATIONS_MAX) return;
    this.#record(`VIOLATION ${text}`);
    this.#violations.push(`at ${Math.round(this.#time.nowMs)} ms: ${text}`);
    // What follows follows from these.
    if (this.#violations.length === VIOLATIONS_MAX) this.#time.stop();
  }

  #record(text: string): void {
    const line = `${this.#time.nowMs.toFixed(3)} ${text}`;
    this.#hash.update(line);
    this.#options.writeLine?.(line);
  }
}
