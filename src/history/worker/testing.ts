/** A history service on a scripted ledger, with its posted messages. */
import { afterEach, beforeEach } from 'vitest';
import { Ledger, LedgerNode, timeOfSlot } from '../../../test/scripted-ledger.js';
import { fillLog } from '../../../test/support/fill-log.js';
import { PROGRAM } from '../../../test/support/ingest-rig.js';
import { until } from '../../../test/support/until.js';
import type { HistoryQuery } from '../../contract/history-queries.js';
import type { HistoryStats } from '../../contract/history-source.js';
import { RETAIN_DEFAULTS } from '../../contract/retain.js';
import { createNodes } from '../../rpc/node-pool.js';
import { systemTimers } from '../../rpc/timers.js';
import { candleRules } from '../candles/rules.js';
import type { FromWorker, WorkerSetup } from '../model/messages.js';
import type { HistoryMarket } from '../model/records.js';
import { type HistoryStore, openStore } from '../store/store.js';
import { cleanUp, newFolder } from '../store/testing.js';
import { HistoryService } from './service.js';

/** The chain of the present test, its node, and the folder of its services. */
export let ledger: Ledger;
export let node: LedgerNode;
export let dataDir: string;
const running: RunningService[] = [];
let fills: number;

/** Each test of the file has these, and its services end with it. */
export function useServices(): void {
  beforeEach(async () => {
    ledger = new Ledger();
    node = await LedgerNode.start(ledger);
    dataDir = newFolder();
    fills = 0;
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ service }) => service.stop()));
    await node.stop();
    cleanUp();
  });
}

/** New fills, each in a slot of its own and told by the node; they become final. */
export function trade(count: number, firstId = fills + 1): void {
  fills = firstId + count - 1;
  for (let id = firstId; id <= fills; id += 1) {
    ledger.tick();
    node.tell(ledger.add(fillLog(id, timeOfSlot(ledger.slot))));
  }
  ledger.tick(40);
}

/** The file of the services, while none of them runs. */
export function openFile(): Promise<HistoryStore> {
  const { genesisHash } = ledger;
  return openStore({ folder: dataDir, genesisHash, rules: candleRules, decimalsOf: () => 9 });
}

/** What a service is made of. */
interface RunningOptions extends Partial<WorkerSetup> {
  /** How far the wall clock is ahead of the chain, seconds. */
  readonly wallOffS?: number;
}

/** A running service. */
export class RunningService {
  readonly posted: FromWorker[] = [];
  readonly service: HistoryService;
  #asked = 0;

  /** Starts one, which ends with the test. */
  constructor(options: RunningOptions = {}) {
    running.push(this);
    const { wallOffS = 0, ...others } = options;
    const unixMs = (): number => (timeOfSlot(ledger.slot) + wallOffS) * 1_000;
    const time = { ...systemTimers, unixMs };
    const setup = {
      nodes: [node.urls] as const,
      programId: PROGRAM,
      dataDir,
      requestsPerSecond: 100_000,
      retain: RETAIN_DEFAULTS,
      candleRetentionDays: 0,
      backfillHours: 1,
      backfillTransactionsMax: 1_000,
      ...others,
    };
    this.service = new HistoryService({
      setup,
      nodes: createNodes([node.urls], time),
      timers: time,
      random: () => 0.5,
      post: (message) => this.posted.push(message),
    });
    this.service.start();
  }

  /** Sends the service these markets of the book. */
  setMarkets(...markets: readonly HistoryMarket[]): this {
    this.service.receiveMessage({ kind: 'book', book: { markets, genesisHash: null } });
    return this;
  }

  get stats(): HistoryStats | undefined {
    const last = this.posted.findLast((message) => message.kind === 'stats');
    return last?.kind === 'stats' ? last.stats : undefined;
  }

  live(): Promise<unknown> {
    return until('a live history', () => this.stats?.state === 'live');
  }

  stored(trades: number): Promise<unknown> {
    return until(`${trades} trades`, () => this.stats?.stored.trades === trades);
  }

  failing(reason: string): Promise<unknown> {
    return until(reason, () => {
      return this.stats?.state === 'failing' && this.stats.reason?.includes(reason) === true;
    });
  }

  /** The JSON text of a reply, or the code of an error. */
  query(query: HistoryQuery): string {
    this.#asked += 1;
    const id = this.#asked;
    this.service.receiveMessage({ kind: 'query', id, query });
    const reply = this.posted.findLast((message) => 'id' in message && message.id === id);
    if (reply?.kind === 'refused') return reply.error.code;
    if (reply?.kind !== 'reply') throw new Error('there is no reply');
    return Buffer.from(reply.reply.body).toString();
  }
}
