/** What the journal keeps. */
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { JournalRange, JournalSource } from '../../contract/journal-source.js';
import { journalParams } from '../api/journal-schemas.js';
import { checkParams, compileParamSchemas, splitQuery } from '../api/param-check.js';
import { NO_JOURNAL_TEXT, ServerError } from '../transport/errors.js';
import { jsonReply } from '../transport/reply.js';
import type { Route } from './path-table.js';

/** The sources of the path. */
export interface JournalRouteOptions {
  readonly journal?: JournalSource | undefined;
  readonly book: Pick<BookSource, 'epoch'>;
  readonly directory: MarketDirectory;
}

/** The route of /journal; a 404 with the code NO_JOURNAL where none is kept. */
export function journalRoute({ journal, book, directory }: JournalRouteOptions): Route {
  if (journal === undefined) {
    return () => {
      throw new ServerError('NO_JOURNAL', NO_JOURNAL_TEXT);
    };
  }
  compileParamSchemas([journalParams]);
  return ({ query }) => {
    const texts = splitQuery(query, journalParams.properties);
    const { seqs } = checkParams(journalParams, texts);
    const marketSeqs = seqs ? (range: JournalRange) => seqsOf(range, book, directory) : noSeqs;
    return jsonReply(JSON.stringify(journalBody(journal, marketSeqs)));
  };
}

/** What a range says of its sequence numbers. */
type MarketSeqs = (range: JournalRange) => object;

const noSeqs: MarketSeqs = () => ({});

function journalBody(journal: JournalSource, marketSeqs: MarketSeqs): object {
  const { state, reason, segments, bytes } = journal.readStats();
  const { ranges, gaps, skipped } = journal.readListing();
  const newest = -LIMITS.journalListedMax;
  return {
    ...{ state, reason, segments, bytes },
    ranges: ranges.slice(newest).map((range) => {
      const { firstSeqs, lastSeqs, ...shown } = range;
      return { ...shown, ...marketSeqs(range) };
    }),
    gaps: gaps.slice(newest),
    skipped: skipped.slice(newest),
  };
}

/** By name, where the ids of the markets are those of the book now. */
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
