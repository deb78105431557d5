/** The book of a journal's folder, as it was: an engine and the feed that plays the journal into it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ReplayConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import type { JournalMomentSetting as Moment } from '../config/journal-moment.js';
import { Engine } from '../engine/engine.js';
import { freshnessOf } from '../feed/model/feed-stats.js';
import { JournalReplayer } from '../journal/replayer.js';
import { splitRuns } from '../journal/store/listing.js';
import { readSegments } from '../journal/store/segment-index.js';
import type { SegmentInfo } from '../journal/store/segment-info.js';
import type { BookFeed, BookOrigin, FeedEvents } from './feeds.js';

/** The folder of a journal below that of a service's data. */
export const JOURNAL_FOLDER = 'journal';

/** A segment, and the folder in which it is. */
export interface SegmentPlace {
  readonly folder: string;
  readonly segment: SegmentInfo;
}

/**
 * The book of the newest run without a hole or, with `at`, of that moment. Throws a ConfigError when the folder has no
 * such journal.
 */
export function journalOrigin(config: ReplayConfig, place: string): BookOrigin {
  const folder = journalFolder(place);
  const { at, speed } = config;
  const runs = splitRuns(readSegments(folder, null).segments);
  const segments = at === undefined ? runs.at(-1) : segmentsTo(runs, at);
  const first = segments?.[0];
  if (segments === undefined || first === undefined) throw notKept(place, runs, at && '--at');
  const { programId, epoch } = first;
  const engine = new Engine({ programId, epoch });
  const feed = ({ onTurn, onFirstLive, publisher }: FeedEvents): BookFeed =>
    feedOf(
      new JournalReplayer({
        ...{ folder, programId, segments, engine, speed, onTurn, onFirstLive, publisher },
        until: at && untilOf(at),
        freshness: (ageMs) => freshnessOf(ageMs, config),
        onEnd: () => void process.stderr.write('replay ended\n'),
      }),
    );
  return { engine, feed };
}

/** The segment of a journal in which the book of a slot is. Throws a ConfigError when it is not kept. */
export function segmentOfSlot(place: string, slot: number): SegmentPlace {
  const folder = journalFolder(place);
  const runs = splitRuns(readSegments(folder, null).segments);
  const segment = segmentsTo(runs, { slot })?.[0];
  if (segment === undefined) throw notKept(place, runs, '--slot');
  return { folder, segment };
}

/** The folder of a journal, by its own path or by that of a service's data. */
export function journalFolder(place: string): string {
  const below = path.join(place, JOURNAL_FOLDER);
  return existsSync(below) ? below : place;
}

function feedOf(replayer: JournalReplayer): BookFeed {
  return {
    prepare: async () => undefined,
    start: () => replayer.start(),
    stop: () => replayer.stop(),
    status: () => replayer.status(),
    stats: () => ({ slotAgeMs: replayer.slotAgeMs(), events: { ...replayer.stats() } }),
  };
}

/** The one segment from whose checkpoint a moment is reached; undefined where it is not kept. */
function segmentsTo(
  runs: readonly (readonly SegmentInfo[])[],
  at: Moment,
): readonly SegmentInfo[] | undefined {
  const isKept = (run: readonly SegmentInfo[]): boolean => {
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) return false;
    return (
      momentValue(first.first, at) <= askedValue(at) && askedValue(at) <= momentValue(last.last, at)
    );
  };
  const begin = runs
    .findLast(isKept)
    ?.findLast(({ first }) => momentValue(first, at) <= askedValue(at));
  return begin === undefined ? undefined : [begin];
}

function askedValue(at: Moment): number {
  return 'slot' in at ? at.slot : at.tsMs;
}

function momentValue({ slot, ts }: SegmentInfo['first'], at: Moment): number {
  return 'slot' in at ? slot : ts;
}

function untilOf(at: Moment): { readonly slotMax: number } | { readonly tsMsMax: number } {
  return 'slot' in at ? { slotMax: at.slot } : { tsMsMax: at.tsMs };
}

function notKept(
  place: string,
  runs: readonly (readonly SegmentInfo[])[],
  flag: string | undefined,
): ConfigError {
  if (flag === undefined || runs.length === 0) {
    return new ConfigError(
      'INVALID_SETTING',
      `${place}: there is no journal in this folder`,
      'FILE',
    );
  }
  const ranges = runs.map((run) => {
    const [first, last] = [run[0]?.first, run.at(-1)?.last];
    return `slots ${first?.slot} to ${last?.slot} (unix milliseconds ${first?.ts} to ${last?.ts})`;
  });
  const message = `${flag} is a moment that is not kept; kept are ${ranges.join(', ')}`;
  return new ConfigError('INVALID_SETTING', message, flag);
}
