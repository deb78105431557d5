/** Core and followers of a log on a NATS server. */
import { afterAll, afterEach, beforeAll, type TestContext } from 'vitest';
import type { FeedState } from '../../src/contract/feed-status.js';
import { Engine } from '../../src/engine/engine.js';
import { LogFollower, type LogFollowerOptions } from '../../src/journal/log-follower.js';
import type { LogSetup } from '../../src/journal/model/log-place.js';
import type { FromJournal } from '../../src/journal/model/messages.js';
import { connectLog, type LogConnection } from '../../src/journal/nats/connect.js';
import { LogWriter } from '../../src/journal/nats/log-writer.js';
import { LiveBook, shownBy } from '../../src/journal/testing.js';
import { JournalService } from '../../src/journal/worker/service.js';
import { silentLog } from '../../src/rpc/log.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { NatsServer, natsMissing } from './nats-server.js';
import { until } from './until.js';

const MEBIBYTE = 1024 * 1024;

/** It lives for one file of tests. */
export let server: NatsServer;
let streams = 0;
const ends: (() => Promise<unknown>)[] = [];

/** Starts the server before a file's tests, and cleans up after each test. */
export function useLogServer(start: () => Promise<NatsServer> = () => NatsServer.start()): void {
  beforeAll(async () => {
    if (natsMissing === undefined) server = await start();
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  afterAll(async () => server?.stop());
}

/** A log of its own for each test. */
export function newSetup({ skip }: TestContext): LogSetup {
  skip(natsMissing !== undefined, natsMissing);
  streams += 1;
  const log = { servers: [server.url], stream: `log${streams}` };
  const origin = { programId: PROGRAM_ID, genesisHash: `Chain${'1'.repeat(27)}` };
  return { ...origin, bytesMax: 64 * MEBIBYTE, ageMsMax: 3_600_000, replicas: 1, log };
}

/** A core whose scenario's turns go into the log. */
export class Core {
  readonly messages: FromJournal[] = [];
  readonly service: JournalService;

  private constructor(
    setup: LogSetup,
    readonly book: LiveBook,
  ) {
    this.service = new JournalService({
      setup,
      timers: systemTimers,
      post: (message) => this.#receive(message),
      createSink: (parts) => new LogWriter(setup, parts),
    });
  }

  static async start(setup: LogSetup, options: { seed: number; epoch?: string }): Promise<Core> {
    const core = new Core(setup, new LiveBook(options));
    await core.service.start();
    ends.push(() => core.service.stop());
    return core;
  }

  /** Lets slots go by, and hands them over. */
  async writeSlots(slots: number): Promise<void> {
    for (let at = 0; at < slots; at += 1) {
      this.book.step();
      const log = this.book.engine.turnLog.take();
      if (log !== null) await this.service.receiveMessage({ kind: 'turns', log });
    }
  }

  /** Lets a slot go by, with which a segment begins. */
  async beginSegment(): Promise<void> {
    this.book.engine.turnLog.markCheckpoint();
    await this.writeSlots(1);
  }

  get state(): string {
    return this.messages.findLast((message) => message.kind === 'state')?.stats.state ?? '';
  }

  /** Why it does not write; empty where it does. */
  get reason(): string {
    return this.messages.findLast((message) => message.kind === 'state')?.stats.reason ?? '';
  }

  get waitingBytes(): number {
    return this.messages.findLast((message) => message.kind === 'state')?.stats.waitingBytes ?? 0;
  }

  /** Checkpoints that were stored. */
  get stored(): number {
    const isStored = (message: FromJournal): boolean =>
      message.kind === 'log' && message.message === 'a checkpoint was stored';
    return this.messages.filter(isStored).length;
  }

  #receive(message: FromJournal): void {
    this.messages.push(message);
    if (message.kind === 'checkpointDue') this.book.engine.turnLog.markCheckpoint();
  }
}

/** A follower and its recorded output. */
export class Edge {
  readonly engine: Engine;
  readonly follower: LogFollower;
  readonly gate: string[] = [];
  /** How fresh a log of any age is said to be. */
  freshness: FeedState = 'live';
  readonly ended: Promise<void>;

  constructor(setup: LogSetup, options: Partial<LogFollowerOptions> = {}) {
    const { programId = setup.programId } = options;
    this.engine = new Engine({ programId, epoch: '' });
    this.follower = new LogFollower({
      timers: systemTimers,
      ...{ place: setup.log, engine: this.engine, log: silentLog, drainAfterMs: 1e9 },
      freshness: () => this.freshness,
      clients: {
        drainClients: async () => void this.gate.push('away'),
        acceptClients: () => void this.gate.push('in'),
      },
      ...options,
      programId,
    });
    this.ended = this.follower.start();
    this.ended.catch(() => undefined);
    ends.push(() => this.follower.stop());
  }

  /** Resolves when it shows what a book shows. */
  async showsBook({ engine }: LiveBook): Promise<void> {
    const wanted = shownBy(engine);
    const seqs = seqsOf(engine);
    // All of a book takes long to write.
    const isShown = () => seqsOf(this.engine) === seqs && shownBy(this.engine) === wanted;
    await until('the book of the core', isShown);
  }
}

function seqsOf(engine: Engine): string {
  return engine
    .markets()
    .map(({ id }) => engine.version(id).seq)
    .join();
}

/** A connection to the servers of a log, until the test ends. */
export async function openLog(setup: LogSetup): Promise<LogConnection> {
  const connection = await until('a connection', () =>
    connectLog(setup.log, 'a test').catch(() => undefined),
  );
  ends.push(() => connection.nats.close());
  return connection;
}

/** Starts a core, writes so many slots into its log, and starts an edge, which shows its book. */
export async function startFollowed(
  setup: LogSetup,
  options: Parameters<typeof Core.start>[1],
  slots: number,
): Promise<{ readonly core: Core; readonly edge: Edge }> {
  const core = await Core.start(setup, options);
  await core.writeSlots(slots);
  const edge = new Edge(setup);
  await edge.showsBook(core.book);
  return { core, edge };
}
