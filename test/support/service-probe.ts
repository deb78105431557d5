import path from 'node:path';
import { type Service, serveBook } from '../../src/app/book-service.js';
import type { ServiceFeed } from '../../src/app/chain-feed.js';
import { dataFolder } from '../../src/app/data-folder.js';
import { type BookOrigin, liveOrigin } from '../../src/app/feeds.js';
import { historyOf } from '../../src/app/histories.js';
import { JOURNAL_FOLDER } from '../../src/app/journal-origin.js';
import { createLog } from '../../src/app/log.js';
import type { Moment } from '../../src/client/chain/index.js';
import { ConfigReader } from '../../src/config/config.js';
import type { Flags } from '../../src/config/setting-reader.js';
import type { FeedState } from '../../src/contract/feed-status.js';
import type { Engine } from '../../src/engine/engine.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { until } from './until.js';

/** A busy machine is no reason to call a book late. */
const PATIENT = { laggingAfterMs: '8000', staleAfterMs: '16000' } as const;

/** Both bodies of one market, of one version. */
export interface Bodies {
  readonly l2: Readonly<Record<string, unknown>>;
  readonly l3: Readonly<Record<string, unknown>>;
}

/** The books of all markets by name, and the moment at which all of them stand. */
export interface Reading {
  readonly moment: Moment;
  readonly books: ReadonlyMap<string, Bodies>;
}

/**
 * A running service of the parts that `serve --rpc-url` has, and what only its engine knows: the chain's second that the
 * book was last given, and the accounts that reached it.
 */
export class ServiceProbe {
  readonly printed: string[] = [];
  /** Every state the book was in, in order. */
  readonly states: FeedState[] = [];
  #feed: ServiceFeed | undefined;
  #service: Service | undefined;
  #moment: Moment = { slot: 0n, now: 0n };
  /** The last text of each account that the book is known to have. */
  #heard = new Map<string, string>();

  private constructor(readonly engine: Engine) {}

  /** Starts the service for a chain and waits until its book is live. `watch` is called with its engine before anything moves it. */
  static async start(
    urls: { readonly rpcUrl: string; readonly wsUrl: string },
    settings: Flags = {},
    watch: (engine: Engine) => void = () => {},
  ): Promise<ServiceProbe> {
    const { rpcUrl, wsUrl } = urls;
    // With a history only where a test says where.
    const history = settings['dataDir'] !== undefined;
    const own = { rpcUrl, wsUrl, port: '0', logLevel: 'silent', history };
    const config = new ConfigReader({ ...own, ...PATIENT, ...settings }, {}).readService();
    const runtime = { log: createLog(config), timers: systemTimers };
    const folder = dataFolder(config.history ?? config.journal);
    const origin = liveOrigin(config, runtime, path.join(folder.path, JOURNAL_FOLDER));
    const probe = new ServiceProbe(origin.engine);
    probe.#watch();
    watch(origin.engine);
    try {
      const origins = {
        origin: probe.#watched(origin),
        history: historyOf(config, folder, runtime, () => origin.engine.markets()),
        print: (text: string) => void probe.printed.push(text),
        onStopped: () => folder.remove(),
      };
      probe.#service = await serveBook(config, origins, runtime);
      await until(() => probe.engine.state === 'live');
      await until(async () => (await probe.get('/ready')).status === 200);
      return probe;
    } catch (error) {
      const status = probe.#feed?.status();
      await probe.stop();
      throw new Error(`no live book: ${JSON.stringify(status)}`, { cause: error });
    }
  }

  get url(): string {
    if (this.#service === undefined) throw new Error('the service does not run');
    return this.#service.url;
  }

  /** The slot that the book was last given. */
  get slot(): number {
    return Number(this.#moment.slot);
  }

  /** The chain's second that the book was last given. */
  get unixSeconds(): number {
    return Number(this.#moment.now);
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}) {
    const answer = await fetch(`${this.url}${path}`, { headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async json(path: string): Promise<Record<string, unknown>> {
    return JSON.parse((await this.get(path)).text);
  }

  /** The value of a metric without labels. */
  async metric(name: string): Promise<number> {
    const line = new RegExp(`^${name} (\\S+)$`, 'm').exec((await this.get('/metrics')).text);
    if (line === null) throw new Error(`there is no metric ${name}`);
    return Number(line[1]);
  }

  /** Reads all bodies of one moment; again when the moment passed meanwhile. */
  async read(): Promise<Reading> {
    for (;;) {
      const moment = this.#moment;
      const symbols = await this.symbols();
      const entries = await Promise.all(
        symbols.map(async (symbol): Promise<[string, Bodies]> => {
          const market = `marketName=${encodeURIComponent(symbol)}`;
          const [l2, l3] = await Promise.all([
            this.json(`/l2?${market}&depth=1000`),
            this.json(`/l3?${market}`),
          ]);
          return [symbol, { l2, l3 }];
        }),
      );
      if (moment === this.#moment) return { moment, books: new Map(entries) };
    }
  }

  async symbols(): Promise<string[]> {
    const rows = JSON.parse((await this.get('/markets')).text) as { symbol: string }[];
    return rows.map(({ symbol }) => symbol);
  }

  /** Whether the last text of every account has reached the book. */
  hasHeard(texts: ReadonlyMap<string, string>): boolean {
    if (this.#heard.size !== texts.size) return false;
    return Array.from(texts).every(([pubkey, text]) => this.#heard.get(pubkey) === text);
  }

  /** Records texts that the book has read completely, while the chain was paused. */
  hasRead(texts: ReadonlyMap<string, string>): void {
    this.#heard = new Map(texts);
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
  }

  /** Keeps the feed, whose status explains why a book is not live. */
  #watched(origin: BookOrigin): BookOrigin {
    return {
      ...origin,
      feed: (events) => {
        this.#feed = origin.feed(events);
        return this.#feed;
      },
    };
  }

  #watch(): void {
    const { engine } = this;
    const { setClock, setState, push, pushClosed } = engine;
    engine.setClock = (slot, second) => {
      this.#moment = { slot: BigInt(slot), now: BigInt(second) };
      setClock.call(engine, slot, second);
    };
    engine.setState = (state) => {
      this.states.push(state);
      setState.call(engine, state);
    };
    engine.push = (account) => {
      this.#heard.set(account.pubkey, account.data);
      push.call(engine, account);
    };
    engine.pushClosed = (pubkey, slot) => {
      this.#heard.delete(pubkey);
      pushClosed.call(engine, pubkey, slot);
    };
  }
}
