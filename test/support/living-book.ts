/** A book without a feed: it lives by a simulator when a test says so, over one server. */
import { Engine } from '../../src/engine/engine.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../../src/sim/market/market-simulator.js';

const SEED = 20_261_121;
const START_SLOT = 1_000;
const START_MS = 1_800_000_000_000;

/** The engine, and the life that is written to it. */
export class LivingBook {
  readonly engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
  readonly #life: MarketSimulator;
  slot = START_SLOT;
  /** Of the last turn, unix milliseconds. */
  #ts = START_MS;

  constructor(makers = 60) {
    this.#life = new MarketSimulator({ seed: SEED, makers });
    this.#push(this.#life.createGenesis(this.clock));
    this.engine.setState('live');
  }

  get clock(): { readonly slot: number; readonly unixSeconds: number } {
    return { slot: this.slot, unixSeconds: START_MS / 1_000 + Math.floor(this.slot / 2) };
  }

  get markets(): readonly string[] {
    return this.engine.markets().map(({ symbol }) => symbol);
  }

  /** Writes so many steps of its life. */
  live(steps: number): void {
    for (let step = 0; step < steps; step += 1) this.#push(this.#life.nextWrites(this.clock));
  }

  endTurn(): void {
    this.#ts += 1;
    this.engine.setClock(this.slot, this.clock.unixSeconds);
    this.engine.endTurn(this.#ts);
  }

  #push(writes: readonly AccountWrite[]): void {
    const { slot } = this;
    for (const { pubkey, owner, data } of writes) {
      this.engine.push({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
    }
  }
}
