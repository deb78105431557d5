/** What runs in the worker: answers what the main thread asks, and tells what it should know. */
import { systemTimers, type Timer, type Timers } from '../rpc/timers.js';
import { HistoryError } from './error.js';
import type {
  FromWorker,
  HistoryAnswer,
  HistoryFigures,
  HistoryQuery,
  ToWorker,
  WorkerSetup,
} from './messages.js';
import type { HistoryMarket, MarketKey } from './records.js';

/** How often the main thread is told the figures; by this it also knows that the worker lives. */
const FIGURES_MS = 500;

/** What the service needs, and what a test may replace. */
export interface HistoryServiceOptions {
  readonly setup: WorkerSetup;
  readonly post: (message: FromWorker) => void;
  readonly timers?: Timers;
}

/** The parts of the history on their thread. */
export class HistoryService {
  readonly #options: HistoryServiceOptions;
  readonly #timers: Timers;
  readonly #markets = new Map<MarketKey, HistoryMarket>();
  #beat: Timer | null = null;

  constructor(options: HistoryServiceOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  start(): void {
    this.#tell();
  }

  async stop(): Promise<void> {
    this.#beat?.cancel();
  }

  receive(message: Exclude<ToWorker, { readonly kind: 'stop' }>): void {
    switch (message.kind) {
      case 'query':
        this.#answer(message.id, message.query);
        return;
      case 'markets':
        this.#markets.clear();
        for (const market of message.markets) this.#markets.set(market.key, market);
        return;
      case 'join':
      case 'leave':
        return;
    }
  }

  #answer(id: number, query: HistoryQuery): void {
    const { post } = this.#options;
    try {
      post({ kind: 'answer', id, answer: this.#read(query) });
    } catch (error) {
      post({ kind: 'refused', id, error: refusalOf(error) });
    }
  }

  #read({ kind }: HistoryQuery): HistoryAnswer {
    throw new HistoryError('NOT_READY', `the history has no ${kind} yet`);
  }

  #tell(): void {
    this.#options.post({ kind: 'figures', figures: this.#figures() });
    this.#beat = this.#timers.after(FIGURES_MS, () => this.#tell());
  }

  #figures(): HistoryFigures {
    return {
      state: 'starting',
      reason: 'the history is opened',
      counts: {},
      queued: 0,
      spansOpen: 0,
      missingFills: {},
      finalisedSlot: 0,
      newestSlot: 0,
      lagMs: null,
    };
  }
}

function refusalOf(error: unknown): { code: string; message: string; param: string | null } {
  if (error instanceof HistoryError) {
    return { code: error.code, message: error.message, param: error.param };
  }
  return { code: 'INTERNAL', message: 'the history failed to answer', param: null };
}
