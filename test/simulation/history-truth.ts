/** Compares the stored fills with the ledger: none lost, none twice, none invented. */
import type { ModelLedger } from './model-ledger.js';
import type { ModelNode } from './model-node.js';

/** A fill is stored by then, when nothing has gone wrong for so long. */
const STORED_MS_MAX = 5_000;

/** A refused fill is asked for again after as long as it was refused, and this time. */
const RETRIED_MS_MAX = 10_000;
const NEVER_REFUSED = { firstMs: 0, lastMs: -RETRIED_MS_MAX };

/** A slot is final by then, and passed by the marks. */
const PASSED_MS_MAX = 30_000;

interface TradeRow {
  readonly fillRecordId: string;
}

interface StatusBody {
  readonly history: { readonly state: string; readonly finalisedSlot: number };
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

  /** The first fill that should be stored by now, as one of the nodes gives it, and is not; null when there is none. */
  findMissing(
    body: string,
    nowMs: number,
    nodes: readonly Pick<ModelNode, 'refusedForEver' | 'refusedMs'>[],
  ): string | null {
    const shown = new Set(this.#idsOf(body));
    const missing = this.#ledger.fills.filter(({ id, landedMs, signature }) => {
      const isGiven = nodes.some(({ refusedForEver, refusedMs }) => {
        const { firstMs, lastMs } = refusedMs.get(signature) ?? NEVER_REFUSED;
        const isRetried = nowMs > lastMs + (lastMs - firstMs) + RETRIED_MS_MAX;
        return !refusedForEver.has(signature) && isRetried;
      });
      return landedMs < nowMs - STORED_MS_MAX && !shown.has(id) && isGiven;
    });
    if (missing.length === 0) return null;
    return `${missing.length} fills were not stored, the first is ${missing[0]?.id}`;
  }

  /** What is wrong with the history in a body of /status: it has to be live, and its marks have to move on. */
  findStanding(body: string, nowMs: number): string | null {
    const { state, finalisedSlot } = (JSON.parse(body) as StatusBody).history;
    if (state !== 'live') return `the history was ${state}, must be live`;
    const passed = this.#ledger.fills.filter(({ landedMs }) => landedMs < nowMs - PASSED_MS_MAX);
    const slot = Math.max(0, ...passed.map((fill) => fill.slot));
    if (finalisedSlot >= slot) return null;
    return `the history was final up to slot ${finalisedSlot}, must be up to ${slot}`;
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
