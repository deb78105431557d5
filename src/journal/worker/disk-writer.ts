import type { JournalListing, JournalMoment, JournalState } from '../../contract/journal-source.js';
import type { Timer } from '../../contract/timers.js';
import { withoutPaths } from '../../contract/without-paths.js';
import { readSegmentHead } from '../../engine/journal-reader.js';
import type { JournalPiece } from '../../engine/journal-writer.js';
import { JournalError, textOfError } from '../model/error.js';
import { DISK_QUEUE_BYTES_MAX, RETRY_MS } from '../model/limits.js';
import { type JournalSetup, newJournalCounts } from '../model/messages.js';
import type { PieceSink, PieceSinkParts } from '../model/piece-sink.js';
import { momentsOfPiece } from '../store/block-moments.js';
import { JournalFolder } from '../store/folder.js';
import { SegmentFile } from '../store/segment-file.js';
import { type HeadInfo, infoOfHead } from '../store/segment-index.js';

/** The dependencies of a writer, and its listeners. */
interface DiskWriterOptions extends Omit<PieceSinkParts, 'onRefused' | 'onStored'> {
  readonly setup: JournalSetup;
}

/**
 * Writes pieces of segments to files, in order. After a failure of the folder or the disk it stops:
 * pieces are dropped until a segment starts in a working folder, which is checked every ten
 * seconds.
 */
export class DiskWriter implements PieceSink {
  readonly isLog = false;
  readonly #options: DiskWriterOptions;
  readonly counts = newJournalCounts();
  #folder: JournalFolder | null = null;
  #file: SegmentFile | null = null;
  /** The known facts of the file. */
  #head: HeadInfo | null = null;
  /** The encoder's segment of the file. */
  #segment = 0;
  /** The segment whose file has failed; its pieces are dropped. */
  #failedSegment = 0;
  #queue: JournalPiece[] = [];
  #queuedBytes = 0;
  #writing: Promise<void> | null = null;
  #retry: Timer | null = null;
  #state: JournalState = 'starting';
  #reason: string | null = null;
  /** Whether the folder works again after a failure, so that the next segment may begin. */
  #isHealed = false;
  #isEnded = false;

  constructor(options: DiskWriterOptions) {
    this.#options = options;
  }

  get state(): JournalState {
    return this.#state;
  }

  get reason(): string | null {
    return this.#reason === null ? null : withoutPaths(this.#reason, this.#options.setup.folder);
  }

  get bytes(): number {
    return this.#folder?.segments.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
  }

  get newest(): JournalMoment | null {
    return this.#folder?.segments.at(-1)?.last ?? null;
  }

  listing(): JournalListing {
    return this.#folder?.listing() ?? { ranges: [], gaps: [], skipped: [] };
  }

  /** Opens the folder. Throws `JOURNAL_LOCKED` and `LOG_MISMATCH` only: other failures are retried. */
  open(): void {
    try {
      this.#openFolder();
    } catch (error) {
      if (error instanceof JournalError && REFUSALS.has(error.code)) throw error;
      this.#stopWriting(error);
    }
  }

  pushPiece(piece: JournalPiece): void {
    if (this.#isEnded || this.#isDropped(piece)) return;
    if (this.#queuedBytes + piece.bytes.length > DISK_QUEUE_BYTES_MAX) {
      const message = `the disk is too slow: ${this.#queuedBytes} bytes wait, which is the limit`;
      this.#failSegment(piece.segment, new JournalError('JOURNAL_QUEUE_EXCEEDED', message));
      // The current write may finish; the empty piece then makes the queue drop the file, even
      // without other pieces.
      this.#enqueue({ ...piece, bytes: new Uint8Array(0) });
      return;
    }
    this.#enqueue(piece);
  }

  #enqueue(piece: JournalPiece): void {
    this.#queue.push(piece);
    this.#queuedBytes += piece.bytes.length;
    this.#writing ??= this.#writeQueue().finally(() => {
      this.#writing = null;
    });
  }

  /** Resolves when every piece so far is written or dropped. */
  async settle(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** Ends the writer for good, with a reason; null when the service stops. */
  async end(reason: string | null): Promise<void> {
    await this.settle();
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#retry?.cancel();
    await this.#closeFile().catch((error: unknown) => this.#countFailure(error));
    this.#folder?.release();
    if (reason === null) return;
    this.#options.log.warn({ reason }, 'the journal has stopped for good');
    this.#setState('stopped', reason);
  }

  async #writeQueue(): Promise<void> {
    for (let piece = this.#queue.shift(); piece !== undefined; piece = this.#queue.shift()) {
      this.#queuedBytes -= piece.bytes.length;
      try {
        if (!this.#isDropped(piece)) await this.#writePiece(piece);
      } catch (error) {
        this.#failSegment(piece.segment, error);
      }
      if (this.#segment <= this.#failedSegment) await this.#giveUpFile();
    }
  }

  /** Whether a piece belongs to a segment whose file is incomplete. */
  #isDropped({ segment }: JournalPiece): boolean {
    if (this.#state === 'stopped' && !this.#isHealed) this.#failedSegment = segment;
    return segment <= this.#failedSegment;
  }

  async #writePiece(piece: JournalPiece): Promise<void> {
    const nowMs = this.#options.timers.nowMs();
    if (this.#file === null || piece.segment !== this.#segment) await this.#beginSegment(piece);
    // The segment may have been dropped during the write, because the queue exceeded its limit.
    if (this.#isDropped(piece)) return;
    const file = this.#file;
    const head = this.#head;
    if (file === null || head === null) throw new Error('Invariant: a segment has begun');
    if (this.#folder?.isKept() !== true) throw FOLDER_LOST;
    const moments = momentsOfPiece(piece.bytes, file.bytes === 0);
    await file.appendPiece(piece.bytes, nowMs);
    this.counts.bytesWritten += piece.bytes.length;
    if (moments === null) return;
    const begun = { ...head, first: head.first ?? moments.first };
    this.#head = begun;
    this.#folder?.putSegment({ ...begun, bytes: file.bytes, last: moments.last });
  }

  /**
   * Closes the file of the previous segment, and creates the file of the segment that begins with a
   * piece.
   */
  async #beginSegment({ segment, bytes }: JournalPiece): Promise<void> {
    const folder = this.#folder;
    if (folder === null || !folder.isKept()) throw FOLDER_LOST;
    const number = folder.takeNumber(await this.#closeFile());
    this.#head = infoOfHead(number, readSegmentHead(bytes));
    this.#file = await SegmentFile.create(folder.path, number, this.#options.timers.nowMs());
    this.#segment = segment;
    if (segment <= this.#failedSegment) return;
    this.counts.segmentsBegun += 1;
    this.#retire(folder);
    if (this.#state === 'stopped') this.#options.log.info({}, 'the journal goes on');
    this.#setState('writing', null);
  }

  /** Closes the file of a complete segment; returns false without an open file. */
  async #closeFile(): Promise<boolean> {
    const file = this.#file;
    const segment = this.#folder?.segments.at(-1);
    this.#file = null;
    await file?.close(segment?.number === file.number ? segment.last : null);
    return file !== null;
  }

  #retire(folder: JournalFolder): void {
    const names = folder.retireSegments(this.#options.setup);
    this.counts.segmentsDeleted += names.length;
    if (names.length > 0)
      this.#options.log.info({ names }, 'old files of the journal were deleted');
  }

  /**
   * Drops a segment and its further pieces. The queue, which may be writing the segment's file,
   * removes it.
   */
  #failSegment(segment: number, error: unknown): void {
    this.#failedSegment = segment;
    this.#stopWriting(error);
  }

  async #giveUpFile(): Promise<void> {
    const file = this.#file;
    const folder = this.#folder;
    this.#file = null;
    if (file === null) return;
    await file.close(null).catch(() => undefined);
    // The file is unreadable, because it does not even contain its checkpoint.
    if (folder?.segments.at(-1)?.number !== file.number) folder?.dropFile(file.number);
  }

  #stopWriting(error: unknown): void {
    const reason = textOfError(error);
    this.#countFailure(error);
    this.#isHealed = false;
    if (this.#state !== 'stopped' || this.#reason !== reason) {
      this.#options.log.warn({ reason }, 'the journal has stopped: the book goes on without it');
    }
    this.#setState('stopped', reason);
    this.#retry ??= this.#options.timers.after(RETRY_MS, () => this.#tryAgain());
  }

  #tryAgain(): void {
    this.#retry = null;
    try {
      if (this.#folder === null || !this.#folder.isKept()) this.#openFolder();
      this.#folder?.probe();
      this.#isHealed = true;
      this.#options.onHealed();
      // The retry repeats when no segment begins, or its file fails as well.
      this.#retry = this.#options.timers.after(RETRY_MS, () => {
        this.#retry = null;
        if (this.#state === 'stopped') this.#tryAgain();
      });
    } catch (error) {
      this.#stopWriting(error);
    }
  }

  #openFolder(): void {
    const { setup, log } = this.#options;
    this.#folder?.release();
    this.#folder = null;
    this.#folder = new JournalFolder(setup.folder, setup.programId);
    const { skipped } = this.#folder;
    if (skipped.length > 0) log.warn({ skipped }, 'files of the journal cannot be used');
    this.#retire(this.#folder);
    this.#options.onChanged();
  }

  #countFailure(error: unknown): void {
    if (!(error instanceof JournalError)) throw error;
    this.counts.failures += 1;
  }

  #setState(state: JournalState, reason: string | null): void {
    this.#state = state;
    this.#reason = reason;
    this.#options.onChanged();
  }
}

/** Why no retry can help: the folder is another's. */
const REFUSALS: ReadonlySet<string> = new Set(['JOURNAL_LOCKED', 'LOG_MISMATCH']);

const FOLDER_LOST = new JournalError(
  'JOURNAL_FOLDER_FAILED',
  'the folder, or its lock file, was moved or deleted',
);
