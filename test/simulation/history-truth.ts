/** Compares the stored fills with the ledger: none lost, none twice, none invented. */
import type { ModelLedger } from './model-ledger.js';

/** A fill is stored by then, when nothing has gone wrong for so long. */
export const STORED_MS_MAX = 15_000;

interface TradeRow {
  readonly fillRecordId: string;
}

/** The judge of one run's history. */
export class HistoryTruth {
  readonly #ledger: ModelLedger;
  /** Every fill that was ever shown. */
  readonly #seen = new Set<number>();

  constructor(ledger: ModelLedger) {
    this.#ledger = ledger;
  }

  /** What is wrong with a body of /trades that has all of them; null when nothing is. */
  findWrong(body: string): string | null {
    const ids = this.#idsOf(body);
    if (new Set(ids).size < ids.length) return 'a fill was shown twice';
    const known = new Set(this.#ledger.fills.map(({ id }) => id));
    const invented = ids.find((id) => !known.has(id));
    if (invented !== undefined) return `fill ${invented} was shown, which is not in the ledger`;
    const shown = new Set(ids);
    const lost = [...this.#seen].filter((id) => !shown.has(id));
    if (lost.length > 0) return `${lost.length} stored fills were lost, the first is ${lost[0]}`;
    for (const id of ids) this.#seen.add(id);
    return null;
  }

  /** The first fill that should be stored by now and is not; null when there is none. */
  findMissing(body: string, nowMs: number): string | null {
    const shown = new Set(this.#idsOf(body));
    const missing = this.#ledger.fills.filter(({ id, landedMs }) => {
      return landedMs < nowMs - STORED_MS_MAX && !shown.has(id);
    });
    if (missing.length === 0) return null;
    return `${missing.length} fills were not stored, the first is ${missing[0]?.id}`;
  }

  /** How many fills were ever shown. */
  get seenCount(): number {
    return this.#seen.size;
  }

  #idsOf(body: string): readonly number[] {
    return (JSON.parse(body) as readonly TradeRow[]).map(({ fillRecordId }) =>
      Number(fillRecordId),
    );
  }
}
