import type { MarketIdentity } from '../../contract/as-of-source.js';
import { bandedText } from '../../contract/liquidity.js';
import { EngineError } from '../../engine/errors.js';
import { SUMMARY_STEP_MS } from '../model/limits.js';
import type { JournalPlayer } from '../store/journal-player.js';
import type { SummaryRow, SummaryRows } from '../store/summary-file.js';

/** The name of a market in the summaries of every epoch. */
export function summaryName({ marketType, marketIndex }: MarketIdentity): string {
  return `${marketType} ${marketIndex}`;
}

/** A market after the last sample. */
interface PresentMarket {
  readonly rows: SummaryRow[];
  /** The members of a row after its time. */
  readonly text: string;
}

/** The summary of one segment, which is made from its turns and grows with them. */
export class SegmentSummary {
  readonly #player: JournalPlayer;
  readonly #rows = new Map<string, SummaryRow[]>();
  /** The members of each market that change with its book alone, by id. */
  readonly #texts: { readonly version: string; readonly text: string }[] = [];
  /** The applied turns of the last sample, and the markets after them. */
  #turns = -1;
  #present: readonly PresentMarket[] = [];
  /** The next sampled moment, unix milliseconds. */
  #nextMs: number;
  #isDamaged = false;

  constructor(player: JournalPlayer, firstMs: number) {
    this.#player = player;
    this.#nextMs = Math.ceil(firstMs / SUMMARY_STEP_MS) * SUMMARY_STEP_MS;
  }

  get rows(): SummaryRows {
    return this.#rows;
  }

  /** The last turn that was applied. */
  get moment() {
    return this.#player.moment;
  }

  /**
   * Samples the moments up to a time, which the file has reached, one in a step; a damaged file ends
   * where it is damaged. Throws the file system's error.
   */
  *playTo(endMs: number): Generator<undefined> {
    while (this.#nextMs <= endMs && !this.#isDamaged) {
      const ts = this.#nextMs;
      try {
        this.#player.at({ tsMsMax: ts });
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        this.#isDamaged = true;
        return;
      }
      this.#addRows(ts);
      // Before the pause, after which another call may continue.
      this.#nextMs += SUMMARY_STEP_MS;
      yield;
    }
  }

  release(): void {
    this.#player.release();
  }

  #addRows(ts: number): void {
    const { isRestored, reader } = this.#player;
    if (!isRestored) return;
    const { turns } = reader.position();
    if (turns !== this.#turns) this.#present = this.#readMarkets();
    this.#turns = turns;
    for (const { rows, text } of this.#present) rows.push({ ts, text: `{"ts":${ts},${text}}` });
  }

  /** Returns the rows of each market, and its members now. */
  #readMarkets(): readonly PresentMarket[] {
    return this.#player.engine.markets().map((market) => {
      const name = summaryName(market);
      const rows = this.#rows.get(name) ?? [];
      if (rows.length === 0) this.#rows.set(name, rows);
      return { rows, text: this.#textOf(market.id) };
    });
  }

  #textOf(id: number): string {
    const { engine } = this.#player;
    const { seq, state } = engine.version(id);
    const version = `${engine.epoch} ${seq}`;
    let known = this.#texts[id];
    if (known?.version !== version) {
      known = { version, text: bandedText(engine, id) };
      this.#texts[id] = known;
    }
    return `"state":"${state}",${known.text}`;
  }
}
