/** /journal: what the journal keeps. */
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { JournalRange, JournalSource } from '../../contract/journal-source.js';
import { journalParams, journalBody as journalSchema } from '../api/journal-schemas.js';
import { readQuery } from '../api/param-check.js';
import { bodyOf } from '../api/written-body.js';
import { NO_JOURNAL_TEXT, ServerError } from '../transport/errors.js';
import { jsonReply } from '../transport/reply.js';
import type { Path, PathService, Route } from './path.js';

/** The path. */
export const journalPath = {
  summary: 'What the journal keeps: ranges of moments, the gaps between them, and its files',
  kind: 'service',
  params: journalParams,
  body: { name: 'Journal', schema: journalSchema },
  errors: ['INVALID_PARAM'],
  open: journalRoute,
} as const satisfies Path;

/**
 * Returns the route of /journal; it replies 404 with the code NO_JOURNAL when no journal is kept.
 */
function journalRoute({ journal, book, directory }: PathService): Route {
  if (journal === undefined) {
    return () => {
      throw new ServerError('NO_JOURNAL', NO_JOURNAL_TEXT);
    };
  }
  return ({ query }) => {
    const { seqs } = readQuery(journalParams, query);
    const marketSeqs = seqs ? (range: JournalRange) => seqsOf(range, book, directory) : noSeqs;
    return jsonReply(JSON.stringify(journalBody(journal, marketSeqs)));
  };
}

/** Returns the members of a range that give its sequence numbers. */
type MarketSeqs = (range: JournalRange) => object;

const noSeqs: MarketSeqs = () => ({});

function journalBody(journal: JournalSource, marketSeqs: MarketSeqs): object {
  const { ranges, gaps, skipped } = journal.readListing();
  const newest = -LIMITS.journalListedMax;
  return bodyOf(journalSchema, {
    ...journal.readStats(),
    ranges: ranges.slice(newest).map((range) => {
      const { firstSeqs, lastSeqs, ...shown } = range;
      return { ...shown, ...marketSeqs(range) };
    }),
    gaps: gaps.slice(newest),
    skipped: skipped.slice(newest),
  });
}

/**
 * Returns the sequence numbers by market name. Market ids are valid in one epoch only, so a range
 * of another epoch gets no names.
 */
function seqsOf(
  { epoch, firstSeqs, lastSeqs }: JournalRange,
  book: Pick<BookSource, 'epoch'>,
  directory: MarketDirectory,
): object {
  if (epoch !== book.epoch) return {};
  const seqs = directory.markets().flatMap(({ id, symbol }): [string, [number, number]][] => {
    const last = lastSeqs[id];
    return last === undefined ? [] : [[symbol, [firstSeqs[id] ?? 0, last]]];
  });
  return { seqs: Object.fromEntries(seqs) };
}
