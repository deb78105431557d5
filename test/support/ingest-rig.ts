/** Ingestion from a scripted ledger into a plain store. */
import { vi } from 'vitest';
import type { LogEvents, LoggedRecord } from '../../src/engine/events.js';
import { Ingester } from '../../src/history/ingest/ingester.js';
import { LoggedUsersBatch } from '../../src/history/ingest/logged-users.js';
import { newCounters } from '../../src/history/ingest/parts.js';
import { EmptyTransactions } from '../../src/history/ingest/store-records.js';
import { UngivenItems } from '../../src/history/ingest/ungiven-items.js';
import type { StoreChange } from '../../src/history/store/types.js';
import { RpcClient } from '../../src/rpc/client.js';
import { RateLimiter } from '../../src/rpc/rate-limiter.js';
import { RpcSocket } from '../../src/rpc/socket.js';
import { systemTimers } from '../../src/rpc/timers.js';
import type { LedgerNode } from '../scripted-ledger.js';
import { MemoryStore } from './memory-store.js';

export const PROGRAM = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH';

/** The line of a fill in these tests, and how it is read: events proper have tests of their own. */
export function fillLine(id: number): string {
  return `fill ${id}`;
}

/** The line of an event that was damaged on its way. */
export const BROKEN_LINE = 'broken';

function decode(lines: readonly string[]): LogEvents {
  const events = lines.filter((line) => line.startsWith('fill ') || line === BROKEN_LINE);
  // An event that cannot be read has its place among the others all the same.
  const records = events.flatMap((line, index): readonly LoggedRecord[] => {
    if (line === BROKEN_LINE) return [];
    const place = { kind: 'trade', index, ts: 0, market: 0, parties: [] } as const;
    const id = BigInt(line.slice(5));
    return [{ ...place, id, fill: null, fraction: null, bytes: new Uint8Array() }];
  });
  const isTruncated = lines.includes('Log truncated');
  const unreadable = events.length - records.length;
  const isPartial = isTruncated || unreadable > 0;
  return { records, unreadable, users: [], isPartial };
}

export interface RigOptions {
  readonly nodes: readonly [LedgerNode, ...LedgerNode[]];
  readonly firstGap?: { readonly sinceTs: number; readonly left: number };
  /** Stores by genesis hash, of an earlier run. */
  readonly stores?: Map<string, MemoryStore>;
}

/** One run of ingestion. */
export class IngestRig {
  readonly counters = newCounters();
  readonly changes: StoreChange[] = [];
  readonly warnings: string[] = [];
  readonly stores: Map<string, MemoryStore>;
  readonly #ingester: Ingester;
  readonly #opened: string[] = [];

  constructor({ nodes, firstGap, stores = new Map() }: RigOptions) {
    this.stores = stores;
    const [first, ...others] = nodes.map(({ urls: { rpcUrl, wsUrl } }) => {
      const rpc = new RpcClient({
        ...{ url: rpcUrl, timers: systemTimers, random: () => 0, attemptsMax: 2 },
      });
      return { name: rpc.host, rpc, socket: new RpcSocket({ url: wsUrl, timers: systemTimers }) };
    });
    if (first === undefined) throw new Error('a rig needs a node');
    this.#ingester = new Ingester({
      parts: {
        programId: PROGRAM,
        decode,
        timers: systemTimers,
        random: () => 0,
        log: {
          info: () => undefined,
          warn: (fields, text) => void this.warnings.push(text ?? String(fields)),
        },
        counters: this.counters,
        ungiven: new UngivenItems(systemTimers),
        unreadable: new UngivenItems(systemTimers),
      },
      nodes: [first, ...others],
      limiter: new RateLimiter({ timers: systemTimers, requestsPerSecond: 100_000 }),
      emptyTransactions: new EmptyTransactions(),
      logged: new LoggedUsersBatch(systemTimers, () => undefined),
      firstGap: () => firstGap ?? { sinceTs: 0, left: Number.MAX_SAFE_INTEGER },
      onBlockTime: () => undefined,
      onChange: (change) => this.changes.push(change),
      onStoreFailure: () => undefined,
      openStore: async (genesisHash) => {
        const store = this.stores.get(genesisHash) ?? new MemoryStore();
        this.stores.set(genesisHash, store);
        this.#opened.push(genesisHash);
        return store;
      },
    });
  }

  start(): this {
    this.#ingester.start();
    return this;
  }

  /** The chain of the book. */
  followChain(genesisHash: string): void {
    this.#ingester.followChain(genesisHash);
  }

  stop(): Promise<void> {
    return this.#ingester.stop();
  }

  get state(): string {
    return this.#ingester.state.state;
  }

  get reason(): string | null {
    return this.#ingester.state.reason;
  }

  get stats() {
    return this.#ingester.stats;
  }

  /** The store of the chain that was opened last. */
  get store(): MemoryStore {
    const store = this.stores.get(this.#opened.at(-1) ?? '');
    if (store === undefined) throw new Error('no store was opened');
    return store;
  }

  until(check: () => void): Promise<void> {
    return vi.waitFor(check, { timeout: 600_000, interval: 1 });
  }

  live(): Promise<void> {
    return this.until(() => {
      if (this.state !== 'live') throw new Error(`it is ${this.state}: ${this.reason}`);
    });
  }
}
