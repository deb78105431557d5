import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { JournalListing, JournalSkippedFile } from '../../contract/journal-source.js';
import { JournalError, textOfError } from '../model/error.js';
import { PROBE_BYTES } from '../model/limits.js';
import { FolderLock } from './folder-lock.js';
import { listKept } from './listing.js';
import { countRetired, type RetentionPolicy } from './retention.js';
import { COPY_TEXT, type FoundSegments, readSegments } from './segment-index.js';
import type { SegmentInfo } from './segment-info.js';
import { segmentName } from './segment-name.js';
import { dropSummary } from './summary-file.js';

/** The exclusively locked folder of a journal, with the index of its segments. */
export class JournalFolder {
  readonly #path: string;
  readonly #lock: FolderLock;
  readonly #segments: SegmentInfo[];
  #skipped: readonly JournalSkippedFile[];
  /** The highest number of a file. */
  #number: number;

  /**
   * Creates the folder if missing, locks it and reads its index.
   *
   * # Errors
   * Throws `JOURNAL_LOCKED`, `JOURNAL_FOLDER_FAILED`, or `LOG_MISMATCH` for another program's folder.
   */
  constructor(folder: string, programId: string) {
    this.#path = folder;
    guardFolder('made', () => mkdirSync(folder, { recursive: true }));
    this.#lock = FolderLock.take(folder);
    try {
      const found = guardFolder('read', () => readSegments(folder, null));
      refuseOtherProgram(found, programId);
      this.#segments = [...found.segments];
      this.#skipped = found.skipped;
      this.#number = found.numberMax;
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  get path(): string {
    return this.#path;
  }

  /** Whether it is still the opened folder. */
  isKept(): boolean {
    return this.#lock.isKept();
  }

  /** Unusable files, as found. */
  get skipped(): readonly JournalSkippedFile[] {
    return this.#skipped;
  }

  get segments(): readonly SegmentInfo[] {
    return this.#segments;
  }

  /**
   * Takes the number of the next segment, which no file has. `isContinued` means that there is no
   * gap before the segment.
   */
  takeNumber(isContinued: boolean): number {
    this.#number += isContinued || this.#number === 0 ? 1 : 2;
    while (existsSync(path.join(this.#path, segmentName(this.#number)))) this.#number += 1;
    return this.#number;
  }

  /** Adds a new segment, or updates the newest segment. */
  putSegment(segment: SegmentInfo): void {
    if (this.#segments.at(-1)?.number === segment.number) this.#segments.pop();
    this.#segments.push(segment);
  }

  /** Removes a file without readable content; on a failing disk the file may remain. */
  dropFile(number: number): void {
    try {
      rmSync(path.join(this.#path, segmentName(number)), { force: true });
    } catch {
      // The index lists a file that remains as unusable from the next start on.
    }
  }

  /**
   * Deletes the oldest files beyond the retention policy, and copies before the oldest one that is
   * kept; returns their names.
   */
  retireSegments(policy: RetentionPolicy): readonly string[] {
    const count = countRetired(this.#segments, policy);
    const retired = this.#segments.slice(0, count);
    const oldest = segmentName(this.#segments[count]?.number ?? 0);
    const copies = this.#skipped.filter(
      ({ name, reason }) => count > 0 && reason === COPY_TEXT && name < oldest,
    );
    const names = [
      ...retired.map(({ number }) => segmentName(number)),
      ...copies.map(({ name }) => name),
    ];
    for (const name of names) {
      guardFolder('cleaned', () => rmSync(path.join(this.#path, name), { force: true }));
    }
    for (const { number } of retired) dropSummary(this.#path, number);
    this.#segments.splice(0, retired.length);
    this.#skipped = this.#skipped.filter((file) => !copies.includes(file));
    return names;
  }

  /** Returns the stored ranges, without files that were deleted meanwhile. */
  listing(): JournalListing {
    const names = new Set(readNames(this.#path));
    const kept = this.#segments.filter(({ number }) => names.has(segmentName(number)));
    return listKept(kept, this.#skipped);
  }

  /** Throws `JOURNAL_FOLDER_FAILED` when the folder rejects a small file. */
  probe(): void {
    const file = path.join(this.#path, 'probe');
    guardFolder('written', () => {
      const handle = openSync(file, 'w');
      try {
        const bytes = Buffer.alloc(PROBE_BYTES, 1);
        for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
        unlinkSync(file);
      }
    });
  }

  release(): void {
    this.#lock.release();
  }
}

/** Returns the files of a folder; none when the folder is missing or unreadable. */
function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The journal of a folder is of one program. */
function refuseOtherProgram({ segments }: FoundSegments, programId: string): void {
  const other = segments.find((segment) => segment.programId !== programId);
  if (other === undefined) return;
  const message = `the folder is of the program ${other.programId}, not of ${programId}`;
  throw new JournalError('LOG_MISMATCH', message);
}

function guardFolder<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof JournalError) throw error;
    const message = `the folder cannot be ${what}: ${textOfError(error)}`;
    throw new JournalError('JOURNAL_FOLDER_FAILED', message, { cause: error });
  }
}
