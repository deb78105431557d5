import { readdirSync } from 'node:fs';
import { readSegment } from '../store/segment-index.js';
import type { SegmentInfo } from '../store/segment-info.js';
import { segmentNumber } from '../store/segment-name.js';
import type { JournalFiles } from './warm-book.js';

/** The segments of a folder in which another thread writes. A head is read once, that of the newest file again when it is no longer that. */
export class SegmentCatalog {
  readonly #files: JournalFiles;
  readonly #known = new Map<number, SegmentInfo>();
  /** The newest file when the folder was read last. */
  #newest = 0;

  constructor(files: JournalFiles) {
    this.#files = files;
  }

  /** The segments that are there now, in their order; those that cannot be read are left out. */
  readSegments(): readonly SegmentInfo[] {
    const numbers = readdirSync(this.#files.folder)
      .map(segmentNumber)
      .filter((number) => number !== null)
      .sort((left, right) => left - right);
    const newest = numbers.at(-1) ?? 0;
    if (newest !== this.#newest) this.#known.delete(this.#newest);
    this.#newest = newest;
    this.#forgetDeleted(new Set(numbers));
    return numbers.flatMap((number) => this.#find(number) ?? []);
  }

  #find(number: number): SegmentInfo | undefined {
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    const { folder, programId } = this.#files;
    try {
      const info = readSegment(folder, number, programId);
      this.#known.set(number, info);
      return info;
    } catch {
      // It is damaged, has just been deleted, or has no whole turn yet: it is tried again.
      return undefined;
    }
  }

  #forgetDeleted(there: ReadonlySet<number>): void {
    for (const number of this.#known.keys()) if (!there.has(number)) this.#known.delete(number);
  }
}
