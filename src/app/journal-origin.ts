/** The past book of a journal folder: an engine and the feed that replays the journal into it. */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ReplayConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import type { JournalMomentSetting as Moment } from '../config/journal-moment.js';
import type { Timers } from '../contract/timers.js';
import { Engine } from '../engine/engine.js';
import { freshnessOf } from '../feed/model/feed-stats.js';
import { textOfError } from '../journal/model/error.js';
import { holeText } from '../journal/replay-hole.js';
import { JournalReplayer } from '../journal/replayer.js';
import { newestRun, splitRuns } from '../journal/store/listing.js';
import {
  type AskedTime,
  chooseByTime,
  type SegmentChoice,
} from '../journal/store/segment-choice.js';
import { readSegments } from '../journal/store/segment-index.js';
import { continues, type SegmentInfo } from '../journal/store/segment-info.js';
import type { FeedEvents, ServiceFeed } from './chain-feed.js';
import type { BookOrigin } from './feeds.js';

/** The name of the journal's folder within a service's data folder. */
export const JOURNAL_FOLDER = 'journal';

/** The first bytes of a recording by version 0.1.0, which had no journals. */
const OLD_RECORDING = Buffer.from('slotbook calls\r\n');
const OLD_RECORDING_RULE =
  'a recording of slotbook 0.1.0, which replays it: this version replays folders of journals';

/** A segment and its folder. */
interface SegmentPlace {
  readonly folder: string;
  readonly segment: SegmentInfo;
  readonly next: SegmentInfo | undefined;
  /** Whether the segment has a later moment. */
  readonly isBeforeEnd: boolean;
}

/**
 * Returns the book of the newest contiguous range, or with `at` of that moment. Throws a
 * ConfigError when the folder has no such journal.
 */
export function journalOrigin(config: ReplayConfig, place: string, timers: Timers): BookOrigin {
  const folder = existingFolder(place, 'DIR');
  const { at, speed, program } = config;
  const found = readSegments(folder, null);
  const { segments: kept } = found;
  const choice = at && chooseSegment(kept, at);
  const segments = at === undefined ? newestRun(found) : choice && [choice.segment];
  const first = segments?.[0];
  if (segments === undefined || first === undefined) throw notKept(place, kept, at && '--at');
  const { programId, epoch } = first;
  const engine = new Engine({ programId, program, epoch });
  const feed = (events: FeedEvents): ServiceFeed =>
    feedOf(
      new JournalReplayer({
        ...events,
        folder,
        segments,
        engine,
        speed,
        timers,
        until: at && untilOf(at),
        isBeforeEnd: choice?.isContinued ?? false,
        freshness: (ageMs) => freshnessOf(ageMs, config),
        onEnd: () => void process.stderr.write('replay ended\n'),
        onHole: (hole) => void process.stderr.write(`${holeText(hole)}\n`),
      }),
    );
  return { engine, feed };
}

/**
 * Returns the segment of a journal that contains a slot. Throws a ConfigError when the slot is not
 * stored.
 */
export function segmentOfSlot(place: string, slot: number): SegmentPlace {
  const folder = journalFolder(place);
  const { segments } = readSegments(folder, null);
  const choice = chooseSegment(segments, { slot });
  if (choice === undefined) throw notKept(place, segments, '--slot');
  const { segment, isContinued } = choice;
  const next = segments.find((one) => continues(segment, one));
  return { folder, segment, next, isBeforeEnd: isContinued };
}

/** Returns the folder of a journal, given that folder or a service's data folder. */
export function journalFolder(place: string): string {
  const below = path.join(place, JOURNAL_FOLDER);
  return existsSync(below) ? below : place;
}

/**
 * Returns the folder like {@link journalFolder}, which must exist. Throws a ConfigError with the
 * argument's name.
 */
export function existingFolder(place: string, name: string): string {
  let rule = 'must be a folder';
  try {
    const found = statSync(place, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return journalFolder(place);
    if (found?.isFile() === true && isOldRecording(place)) rule = OLD_RECORDING_RULE;
  } catch (error) {
    rule += `: ${textOfError(error)}`;
  }
  throw new ConfigError('INVALID_SETTING', `${name} was ${place}, ${rule}`, name);
}

function isOldRecording(file: string): boolean {
  const bytes = Buffer.alloc(OLD_RECORDING.length);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, bytes);
  } finally {
    closeSync(handle);
  }
  return bytes.equals(OLD_RECORDING);
}

function feedOf(replayer: JournalReplayer): ServiceFeed {
  return {
    prepare: async () => undefined,
    start: () => replayer.start(),
    stop: () => replayer.stop(),
    status: () => replayer.status(),
    stats: () => ({ slotAgeMs: replayer.slotAgeMs(), events: { ...replayer.stats() } }),
  };
}

/**
 * Returns the segment from which a replay reaches a moment; undefined when the moment is not
 * stored.
 */
function chooseSegment(segments: readonly SegmentInfo[], at: Moment): SegmentChoice | undefined {
  const asked: AskedTime =
    'slot' in at ? { by: 'slot', value: at.slot } : { by: 'ts', value: at.tsMs };
  // A folder that is not written to does not grow, so no newer turns have to be expected.
  return chooseByTime(segments, { ...asked, newest: 0 }) ?? undefined;
}

function untilOf(at: Moment): { readonly slotMax: number } | { readonly tsMsMax: number } {
  return 'slot' in at ? { slotMax: at.slot } : { tsMsMax: at.tsMs };
}

function notKept(
  place: string,
  segments: readonly SegmentInfo[],
  flag: string | undefined,
): ConfigError {
  const runs = splitRuns(segments);
  if (flag === undefined || runs.length === 0) {
    const message = `${place}: there is no journal in this folder`;
    return new ConfigError('INVALID_SETTING', message, 'DIR');
  }
  const ranges = runs.map((run) => {
    const first = run[0]?.first;
    const last = run.at(-1)?.last;
    return `slots ${first?.slot} to ${last?.slot} (unix milliseconds ${first?.ts} to ${last?.ts})`;
  });
  const message = `${flag} is a moment that is not kept; kept are ${ranges.join(', ')}`;
  return new ConfigError('INVALID_SETTING', message, flag);
}
