/** What is followed under one key of a candle client, and who is told. */
import { ClientError } from '../error.js';
import { Listeners } from '../listeners.js';
import type { ConnectionState } from '../stream/connection.js';
import type { Candle } from './candle.js';
import type { CandleFeed } from './feed.js';
import type { LiveCandles, LiveName } from './live.js';

/** What can be told under a key. */
export interface CandleEvents {
  /** A new or changed candle, in the order of time. */
  readonly 'candle-update': Candle;
  /** What the connection is doing. */
  readonly connection: ConnectionState;
  /** What was missed could not be fetched yet, or the service cannot do it now; it is tried again. */
  readonly trouble: ClientError;
  /** The service refuses the series, or does not serve it any longer. */
  readonly end: ClientError;
}

/** One key. */
export class CandleKey {
  readonly #listeners = {
    'candle-update': new Listeners<Candle>(),
    connection: new Listeners<ConnectionState>(),
    trouble: new Listeners<ClientError>(),
    end: new Listeners<ClientError>(),
  };
  /** Candles that came before anybody listened, by their start. */
  #unheard: Map<number, Candle> | undefined = new Map();
  #turn = 0;
  #stops: (() => void)[] = [];

  /** Calls when something happens; the first listener is told what has come already. */
  on<Event extends keyof CandleEvents>(
    event: Event,
    listener: (value: CandleEvents[Event]) => void,
  ): () => void {
    const listeners = this.#listeners[event] as unknown as Listeners<CandleEvents[Event]>;
    const off = listeners.add(listener);
    if (event === 'candle-update') this.#tellUnheard();
    return off;
  }

  /** Ends what is followed and begins a turn, of which {@link CandleKey.isTurn} holds until the next. */
  begin(): number {
    for (const stop of this.#stops.splice(0)) stop();
    this.#unheard?.clear();
    this.#turn += 1;
    return this.#turn;
  }

  isTurn(turn: number): boolean {
    return this.#turn === turn;
  }

  /** Ends everything; nobody is told anything more. */
  end(): void {
    this.begin();
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }

  /** Calls when the turn ends. */
  onStop(call: () => void): void {
    this.#stops.push(call);
  }

  /** Resolves when the service has said yes; throws what it said otherwise, or that the turn ended. */
  follow(feed: CandleFeed, name: LiveName): Promise<void> {
    const live = feed.join(name);
    const { connection, trouble, end } = this.#listeners;
    this.#stops.push(
      () => feed.leave(live),
      live.updates.add((candle) => this.#take(candle)),
      live.troubles.add((error) => trouble.tell(error)),
      live.ends.add((error) => end.tell(error)),
      feed.connection.states.add((state) => connection.tell(state)),
    );
    if (!live.isOn) return this.#answered(live);
    const { last } = live.series;
    if (last !== undefined) this.#take(last);
    return Promise.resolve();
  }

  #answered(live: LiveCandles): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stops.push(live.starts.add(resolve), live.ends.add(reject), () =>
        reject(new ClientError('CLOSED', 'the key is followed no longer')),
      );
    });
  }

  #take(candle: Candle): void {
    const updates = this.#listeners['candle-update'];
    if (updates.size > 0) updates.tell(candle);
    else this.#unheard?.set(candle.ts, candle);
  }

  #tellUnheard(): void {
    const unheard = this.#unheard;
    this.#unheard = undefined;
    for (const candle of unheard?.values() ?? []) this.#listeners['candle-update'].tell(candle);
  }
}
