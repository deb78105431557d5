import { setTimeout as sleep } from 'node:timers/promises';
import type { Flags } from '../../src/config/setting-reader.js';
import { LocalChain } from '../../src/sim/chain/chain-process.js';
import { AccountWriter } from '../../src/sim/demo/account-writer.js';
import { type AccountWrite, MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { Relay } from '../../src/sim/relay/relay.js';
import type { ChainWrite } from '../scripted-chain.js';
import { OLD_MS_MAX, TIMES, TOLD_MS_MAX, watchedMarkets } from './fault-rig.js';
import { FrameChecker } from './frame-checker.js';
import type { WrittenChain } from './frame-findings.js';
import { ServiceProbe } from './service-probe.js';
import { ServiceWatch } from './service-watch.js';

const USER_BYTES = 4_376;
/** The chain looks at each subscription by itself, some ten milliseconds apart. */
const LANES_APART_MS = 200;
/**
 * The chain freezes the slots of its notifications and the relay can only guess them, so a reading
 * may hold what a notification under way takes back. The scripted chain knows its slots.
 */
const BACK_MS = 400;
/** Writes that may fall due while the chain stood still; what is beyond is given up. */
const DUE_MAX = 20;

/** A real chain, with a life on it whose every write is kept in the order in which it was made. */
export class LivedChain implements WrittenChain {
  readonly writes: ChainWrite[] = [];
  readonly #last = new Map<string, ChainWrite>();
  readonly #writer: AccountWriter;
  #living: Promise<void> = Promise.resolve();
  #perMs = 0;
  #ended = false;

  private constructor(
    readonly chain: LocalChain,
    readonly life: MarketSimulator,
  ) {
    this.#writer = new AccountWriter(chain.rpcUrl);
  }

  /** Starts a chain and writes the first state of everything. */
  static async start(options: { readonly seed: number; readonly makers: number }) {
    const life = new MarketSimulator({ ...options, statusChanges: 'some' });
    const lived = new LivedChain(await LocalChain.start({ slotTimeMs: 200 }), life);
    await new Promise<void>((resolve) => lived.chain.onSlot(() => resolve()));
    for (const account of life.createGenesis(lived.#clock)) await lived.#write(account);
    lived.#living = lived.#live();
    return lived;
  }

  get markets(): readonly { readonly name: string; readonly account: string }[] {
    return this.life.markets.map(({ name, addresses }) => ({ name, account: addresses.pubkey }));
  }

  lastWrites(): Iterable<ChainWrite> {
    return this.#last.values();
  }

  /** Makes this many writes a second from now on; 0 ends it. */
  load(perSecond: number): void {
    this.#perMs = perSecond / 1_000;
  }

  async stop(): Promise<void> {
    this.#ended = true;
    this.#writer.close();
    await this.chain.stop();
    await this.#living;
  }

  /** Ends the chain without a word. */
  async kill(): Promise<void> {
    this.#ended = true;
    await this.chain.kill();
    await this.#living;
  }

  get #clock() {
    if (this.chain.clock === undefined) throw new Error('the chain has no clock yet');
    return this.chain.clock;
  }

  /** One write at a time: what is written next surely happens later. */
  async #live(): Promise<void> {
    let due = 0;
    for (let atMs = performance.now(); !this.#ended; ) {
      const nowMs = performance.now();
      due = Math.min(DUE_MAX, due + (nowMs - atMs) * this.#perMs);
      atMs = nowMs;
      if (due < 1) {
        await sleep(2);
        continue;
      }
      const accounts = this.life.nextWrites(this.#clock);
      due -= accounts.length;
      for (const account of accounts) {
        try {
          await this.#write(account);
        } catch (error) {
          if (this.#ended) return;
          throw error;
        }
      }
    }
  }

  async #write({ pubkey, owner, data }: AccountWrite): Promise<void> {
    const write = {
      pubkey,
      owner,
      bytes: data,
      slot: this.#clock.slot,
      atMs: performance.now(),
      seenMs: Number.POSITIVE_INFINITY,
      before: this.#last.get(pubkey),
    };
    this.#last.set(pubkey, write);
    this.writes.push(write);
    await this.#writer.writeAccount({ pubkey, owner, data });
    await this.#writer.flush();
    write.seenMs = performance.now();
  }
}

/** What a fault on a real chain needs. */
export interface RelayRigOptions {
  readonly seed: number;
  readonly makers?: number;
  readonly rate?: number;
  readonly forgiving?: boolean;
  readonly settings?: Flags;
}

/** A real chain, a relay before it, and a service on the relay that is watched. */
export class RelayRig {
  lived: LivedChain;

  private constructor(
    lived: LivedChain,
    readonly relay: Relay,
    readonly watch: ServiceWatch,
    readonly options: Required<Pick<RelayRigOptions, 'seed' | 'makers' | 'rate'>>,
  ) {
    this.lived = lived;
  }

  static async start(options: RelayRigOptions): Promise<RelayRig> {
    const { seed, makers = 60, rate = 250, forgiving = false } = options;
    const lived = await LivedChain.start({ seed, makers });
    const relay = await Relay.start(lived.chain);
    lived.chain.onSlot(({ slot }) => relay.noteSlot(slot));
    const checker = new FrameChecker(lived, {
      laneOf: (write) => (write.bytes?.length === USER_BYTES ? 'users' : write.pubkey),
      apartMs: LANES_APART_MS,
      backMs: BACK_MS,
      oldMsMax: OLD_MS_MAX,
      toldMsMax: TOLD_MS_MAX,
      secondsAreApart: true,
      forgiving,
    });
    lived.load(rate);
    const settings = { ...TIMES, ...options.settings };
    const service = await ServiceProbe.start(relay, settings, (engine) => checker.watch(engine));
    const watch = await ServiceWatch.start(service, checker, watchedMarkets(lived.life));
    return new RelayRig(lived, relay, watch, { seed, makers, rate });
  }

  /** The chain is killed, and another one comes in its place. */
  async replaceChain(): Promise<void> {
    await this.lived.kill();
    const { seed, makers, rate } = this.options;
    this.lived = await LivedChain.start({ seed: seed + 1, makers });
    this.lived.chain.onSlot(({ slot }) => this.relay.noteSlot(slot));
    this.watch.checker.follow(this.lived);
    this.lived.load(rate);
    this.relay.retarget(this.lived.chain);
  }

  /** Ends the load, and compares the book with a rebuild once it has the last write. */
  async compare(): Promise<void> {
    this.lived.load(0);
    await sleep(200);
    const accounts = Array.from(this.lived.lastWrites(), ({ pubkey, bytes }) => {
      return { pubkey, data: bytes ?? Buffer.alloc(0) };
    });
    await this.watch.compare(accounts);
  }

  async stop(): Promise<void> {
    await this.watch.stop();
    await this.relay.stop();
    await this.lived.stop();
  }
}
