/**
 * A made-up past of the demo's markets: makers and takers at longer steps, until now. It reads no
 * clock and does no I/O.
 */
import type { MarketPresets } from '../bytes/market-presets.js';
import type { LoggedEvent } from '../chain/program-call.js';
import { type AccountWrite, MarketSimulator } from '../market/market-simulator.js';
import type { SimulatedMarket } from '../market/model.js';
import { Random } from '../random.js';

/** The past, newest part last: how long, and the time between two steps, seconds. */
const PARTS = [
  { seconds: 20 * 3_600, step: 300 },
  { seconds: 5 * 3_600, step: 60 },
] as const;
/** Fewer makers than of the present, because each is written often. */
const MAKERS = 48;
/** A slot before all that the chain announces. */
const SLOT = 1;
/** The largest of the four parts of a move in a minute, as a part of the price. */
const MOVE = 0.000_5;

/** One step of a past. */
export interface PastStep {
  /** Unix seconds. */
  readonly ts: number;
  readonly slot: number;
  readonly writes: readonly AccountWrite[];
  /** The logged events of each transaction; the writes have its changes. */
  readonly transactions: readonly (readonly LoggedEvent[])[];
}

/** Makes a past that ends at the start prices of its presets. */
export class SeededPast {
  /** Unix seconds of the first step and of the last one. */
  readonly fromTs: number;
  readonly untilTs: number;
  readonly #presets: MarketPresets;
  readonly #simulator: MarketSimulator;
  readonly #paths: ReadonlyMap<SimulatedMarket['feed'], readonly number[]>;

  constructor(options: {
    readonly presets: MarketPresets;
    readonly seed: number;
    readonly untilTs: number;
  }) {
    const { presets, seed, untilTs } = options;
    this.untilTs = untilTs;
    this.fromTs = untilTs - PARTS.reduce((sum, { seconds }) => sum + seconds, 0);
    this.#presets = presets;
    this.#simulator = new MarketSimulator({ seed, presets, makers: MAKERS, fundingSeconds: 3_600 });
    const feeds = this.#simulator.markets.map(({ feed }) => feed);
    this.#paths = new Map(feeds.map((feed, index) => [feed, pathOf(seed + index)]));
  }

  /** The steps, oldest first; they can be read once. */
  *steps(): Generator<PastStep> {
    const simulator = this.#simulator;
    const genesis = simulator.createGenesis({ slot: SLOT, unixSeconds: this.fromTs });
    yield { ts: this.fromTs, slot: SLOT, writes: genesis, transactions: [] };
    for (const [index, after] of stepTimes().entries()) {
      const ts = this.fromTs + after;
      const { calls, writes } = simulator.leap({ slot: SLOT, unixSeconds: ts }, (market) =>
        this.#priceAt(market, index + 1),
      );
      yield { ts, slot: SLOT, writes, transactions: calls.map(({ events }) => events) };
    }
  }

  /** The markets as they continue after all steps. */
  continuedPresets(): MarketPresets {
    const next = new Map(this.#simulator.markets.map((one) => [one.name, one.nextFillRecordId]));
    const continued = <T extends { readonly name: string; readonly nextFillRecordId: bigint }>(
      preset: T,
    ): T => ({ ...preset, nextFillRecordId: next.get(preset.name) ?? preset.nextFillRecordId });
    const { perps, spots } = this.#presets;
    return { ...this.#presets, perps: perps.map(continued), spots: spots.map(continued) };
  }

  #priceAt({ feed, preset: { startPrice } }: SimulatedMarket, step: number): bigint {
    const part = this.#paths.get(feed)?.[step] ?? 0;
    return startPrice + BigInt(Math.round(Number(startPrice) * part));
  }
}

/** The times of the steps after the first one, seconds. */
function stepTimes(): readonly number[] {
  let begin = 0;
  return PARTS.flatMap(({ seconds, step }) => {
    const times = Array.from({ length: seconds / step }, (_, at) => begin + (at + 1) * step);
    begin += seconds;
    return times;
  });
}

/** Distances of each step's price from the last one, parts of the price: a random walk. */
function pathOf(seed: number): readonly number[] {
  const random = new Random(seed);
  const path = [0];
  let beforeTs = 0;
  for (const ts of stepTimes()) {
    const scale = MOVE * Math.sqrt((ts - beforeTs) / 60);
    beforeTs = ts;
    const parts = Array.from({ length: 4 }, () => random.nextBetween(-1_000, 1_000) / 1_000);
    path.push((path.at(-1) ?? 0) + scale * parts.reduce((sum, part) => sum + part, 0));
  }
  const last = path.at(-1) ?? 0;
  return path.map((part) => part - last);
}
