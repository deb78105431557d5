/**
 * The state that the writing service publishes each second to readers of its database, as a mark
 * among the progress marks.
 */
import type { IngestState } from '../ingest/ingester.js';
import type { HistoryStore } from '../store/store.js';

const NAME = 'writer';

const STATES: readonly IngestState['state'][] = ['starting', 'backfilling', 'live', 'failing'];

/** The state of the history. */
interface WriterMark extends IngestState {
  /** The writer's chain time, unix seconds; null while unknown. */
  readonly chainTs: number | null;
}

/** Throws a StoreError. */
export function writeWriterMark(
  store: Pick<HistoryStore, 'writeBatch'>,
  { state, reason, chainTs }: WriterMark,
  unixMs: number,
): void {
  // The text changes each second, so that readers can tell that the writer is alive.
  const value = JSON.stringify({ state, reason, chainTs, at: unixMs });
  store.writeBatch({ transactions: [], progress: { [NAME]: value } });
}

/** A mark and its text. */
export interface FoundMark {
  readonly mark: WriterMark;
  readonly text: string;
}

/**
 * Reads the writer's mark; null when there is none. An unreadable mark counts as a failing history.
 */
export function readWriterMark(progress: ReadonlyMap<string, string>): FoundMark | null {
  const text = progress.get(NAME);
  return text === undefined ? null : { text, mark: markOf(text) };
}

function markOf(text: string): WriterMark {
  try {
    const { state, reason, chainTs } = (JSON.parse(text) ?? {}) as Partial<WriterMark>;
    const isKnown =
      STATES.some((known) => known === state) &&
      (reason === null || typeof reason === 'string') &&
      (chainTs === null || Number.isSafeInteger(chainTs));
    if (isKnown) return { state, reason, chainTs } as WriterMark;
  } catch {
    // Invalid JSON.
  }
  const reason = 'the mark of the service that writes the history cannot be read';
  return { state: 'failing', reason, chainTs: null };
}
