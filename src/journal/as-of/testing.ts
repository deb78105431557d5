/** A random run of a book, journalled in files, with the shown bodies after each turn. */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { RawAccount } from '../../contract/accounts.js';
import type { AsOfRead, MarketIdentity } from '../../contract/as-of-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { Engine } from '../../engine/engine.js';
import { JournalWriter } from '../../engine/journal-writer.js';
import { PROGRAM_ID } from '../../sim/bytes/keys.js';
import { MarketSimulator } from '../../sim/market/market-simulator.js';
import { Random } from '../../sim/random.js';
import { segmentName } from '../store/segment-name.js';

const START_S = 1_750_000_000;
const START_SLOT = 350_000_000;
const SLOT_MS = 400;
const MAKER = '9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p';

/** The bodies after one turn. */
export interface Shown {
  readonly epoch: string;
  /** The process; the time between two processes is not stored. */
  readonly process: number;
  readonly slot: number;
  readonly ts: number;
  readonly bodies: ReadonlyMap<string, string>;
  /** By market name. */
  readonly seqs: ReadonlyMap<string, number>;
}

/** The name of a market in every run. */
export function nameOf({ marketType, marketIndex }: MarketIdentity): string {
  return `${marketType} ${marketIndex}`;
}

/** All reads of a market, by name. */
export function readsOf(market: MarketInfo): ReadonlyMap<string, AsOfRead> {
  const { id, marketType, marketIndex } = market;
  const key = { marketType, marketIndex };
  const of = { market: id };
  const order = { ...of, side: 'buy', orderType: 'market', size: 9_000_000_000n } as const;
  const reads: readonly AsOfRead[] = [
    { key, path: 'l2', request: { ...of, depth: 20, vamm: true, indicative: true } },
    { key, path: 'l3', request: of },
    { key, path: 'auctions', request: of },
    { key, path: 'match', request: { ...order, includeIndicative: true } },
    { key, path: 'topMakers', request: { ...of, side: 'bid', limit: 6 } },
  ];
  return new Map(reads.map((read) => [`${read.path} ${nameOf(key)}`, read]));
}

/** The bodies of the present book, like the live routes. */
function bodyOf(engine: Engine, read: AsOfRead): string {
  if (read.path === 'topMakers') return JSON.stringify(engine.topMakers(read.request));
  if (read.path === 'match') return Buffer.from(engine.match(read.request)).toString();
  if (read.path === 'l2') return Buffer.from(engine.l2(read.request)).toString();
  if (read.path === 'l3') return Buffer.from(engine.l3(read.request)).toString();
  return Buffer.from(engine.auctions(read.request)).toString();
}

/** The run. It continues over restarts, with the markets in another order, and over other chains. */
export class PastLife {
  readonly shown: Shown[] = [];
  readonly #folder: string;
  readonly #random: Random;
  readonly #life: MarketSimulator;
  readonly #accounts = new Map<string, RawAccount>();
  #engine: Engine;
  #writer = new JournalWriter(PROGRAM_ID);
  #fileBase = 0;
  #fileMax = 0;
  #run = 0;
  #process = 0;
  #slots = 0;
  #tsMs = START_S * 1_000;

  constructor(folder: string, seed: number) {
    this.#folder = folder;
    this.#random = new Random(seed);
    this.#life = new MarketSimulator({ seed, makers: 8, statusChanges: 'some' });
    this.#engine = this.#newEngine();
    this.#pushWrites(this.#life.createGenesis(this.#clock));
    this.#endTurn();
  }

  get markets(): readonly MarketInfo[] {
    return this.#engine.markets();
  }

  get nowMs(): number {
    return this.#tsMs;
  }

  /** Runs this many turns, most of them in shared slots, all written to the files. */
  async live(turns: number): Promise<void> {
    for (let at = 0; at < turns; at += 1) await this.#step();
    this.flush();
  }

  /** Writes the pending turns. */
  flush(): void {
    const log = this.#engine.turnLog.take();
    if (log === null) return;
    this.#writer.append(log, this.#tsMs);
    this.#writer.flush();
    for (const { segment, bytes } of this.#writer.takePieces()) {
      this.#fileMax = this.#fileBase + segment;
      appendFileSync(path.join(this.#folder, segmentName(this.#fileMax)), bytes);
    }
  }

  /** Another process, which reads the chain in another order. */
  restart(): void {
    this.flush();
    this.#fileBase = this.#fileMax + 1;
    this.#writer = new JournalWriter(PROGRAM_ID);
    this.#slots += 10;
    this.#tsMs += 10 * SLOT_MS;
    this.#run += 1;
    this.#process += 1;
    this.#engine = this.#newEngine();
    const { slot } = this.#clock;
    for (const account of [...this.#accounts.values()].reverse()) {
      this.#engine.push({ ...account, slot });
    }
    this.#endTurn();
  }

  get #clock(): { readonly slot: number; readonly unixSeconds: number } {
    return { slot: START_SLOT + this.#slots, unixSeconds: Math.floor(this.#tsMs / 1_000) };
  }

  #newEngine(): Engine {
    const engine = new Engine({ programId: PROGRAM_ID, epoch: `run${this.#run}` });
    engine.turnLog.start();
    const { slot, unixSeconds } = this.#clock;
    engine.setClock(slot, unixSeconds);
    engine.setState('live');
    return engine;
  }

  async #step(): Promise<void> {
    const random = this.#random;
    if (random.nextBelow(3) === 0) this.#slots += 1;
    this.#tsMs += 100 + random.nextBelow(60);
    const { slot, unixSeconds } = this.#clock;
    this.#engine.setClock(slot, unixSeconds);
    this.#pushWrites(this.#life.nextStep(this.#clock).writes);
    if (random.nextBelow(4) === 0) this.#quote();
    if (random.nextBelow(25) === 0) this.#engine.pushClosed(this.#someMaker(), slot);
    if (random.nextBelow(20) === 0) {
      const state = random.nextBelow(2) === 0 ? 'live' : 'lagging';
      this.#engine.setState(state);
    }
    if (random.nextBelow(25) === 0) this.#engine.turnLog.markCheckpoint();
    this.#endTurn();
    if (random.nextBelow(30) === 0) await this.#audit();
    if (random.nextBelow(70) === 0) this.#changeChain();
    if (random.nextBelow(5) === 0) this.flush();
  }

  #pushWrites(writes: ReturnType<MarketSimulator['nextWrites']>): void {
    const { slot } = this.#clock;
    for (const { pubkey, owner, data } of writes) {
      const text = data.toString('base64');
      const account = { pubkey, owner, slot, data: text, encoding: 'base64' } as const;
      const before = this.#accounts.get(pubkey);
      this.#engine.push(account);
      // A fork: the write belonged to an abandoned block.
      const isGone = before !== undefined && this.#random.nextBelow(12) === 0;
      if (isGone) this.#engine.push({ ...before, slot });
      else this.#accounts.set(pubkey, account);
    }
  }

  #quote(): void {
    const random = this.#random;
    const price = 100_000_000n + BigInt(random.nextBelow(1_000_000));
    const side = { price, size: 3_000_000_000n };
    const quotes = [{ bid: side, ask: null, isOracleOffset: false }];
    const { length } = this.#engine.markets();
    const market = random.nextBelow(length);
    this.#engine.setIndicative({ market, maker: MAKER, quotes, tsMs: this.#tsMs });
    this.#engine.setIndicativePolicy(random.nextBelow(2) === 0 ? 'improve' : 'join');
  }

  /** A snapshot that lacks one user. */
  async #audit(): Promise<void> {
    const { slot } = this.#clock;
    const lacking = this.#someMaker();
    const value = [...this.#accounts.values()]
      .filter(({ pubkey }) => pubkey !== lacking)
      .map(({ pubkey, owner, data }) => ({
        pubkey,
        account: { lamports: 1, data: [data, 'base64'], owner, rentEpoch: 0 },
      }));
    const body = { jsonrpc: '2.0', id: 1, result: { context: { slot }, value } };
    const snapshot = await this.#engine.decodeSnapshot(Buffer.from(JSON.stringify(body)));
    this.#engine.beginSnapshot(snapshot);
    for (let from = 0; from < snapshot.count; from += 10) {
      this.#engine.applySnapshot(snapshot, from, 10);
      this.#endTurn();
    }
    this.#engine.endSnapshot();
    this.#endTurn();
  }

  #changeChain(): void {
    this.#run += 1;
    this.#engine.setEpoch(`run${this.#run}`);
    this.#endTurn();
  }

  #endTurn(): void {
    this.#tsMs += 7;
    const engine = this.#engine;
    engine.endTurn(this.#tsMs);
    const markets = engine.markets();
    const reads = markets.flatMap((market) => [...readsOf(market)]);
    this.shown.push({
      epoch: engine.epoch,
      process: this.#process,
      slot: this.#clock.slot,
      ts: this.#tsMs,
      bodies: new Map(reads.map(([name, read]) => [name, bodyOf(engine, read)])),
      seqs: new Map(markets.map((market) => [nameOf(market), engine.version(market.id).seq])),
    });
  }

  #someMaker(): string {
    const { makers } = this.#life;
    return makers[this.#random.nextBelow(makers.length)]?.pubkey ?? '';
  }
}
