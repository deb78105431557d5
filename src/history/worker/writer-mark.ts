/** What the service that writes a database tells those that read it, each second: a mark beside those of progress. */
import type { IngestState } from '../ingest/ingester.js';
import type { HistoryStore } from '../store/store.js';

const NAME = 'writer';

const STATES: readonly IngestState['state'][] = ['starting', 'backfilling', 'live', 'failing'];

/** How the history is. */
export interface WriterMark extends IngestState {
  /** The chain's time as the writer reads it, unix seconds; null while it does not know it. */
  readonly chainTs: number | null;
}

/** Throws a StoreError. */
export function writeWriterMark(
  store: Pick<HistoryStore, 'writeBatch'>,
  { state, reason, chainTs }: WriterMark,
  unixMs: number,
): void {
  // Its text changes each second, so that readers see that somebody writes.
  const value = JSON.stringify({ state, reason, chainTs, at: unixMs });
  store.writeBatch({ transactions: [], progress: { [NAME]: value } });
}

/** A mark and its text. */
export interface FoundMark {
  readonly mark: WriterMark;
  readonly text: string;
}

/** The mark of a store; null when nobody has written one. One that cannot be read says that the history fails. */
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
    // It is no JSON.
  }
  const reason = 'the mark of the service that writes the history cannot be read';
  return { state: 'failing', reason, chainTs: null };
}
