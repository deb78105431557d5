import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { JournalMoment } from '../../contract/journal-source.js';
import { JournalError, textOfError } from '../model/error.js';
import { SYNC_MS } from '../model/limits.js';
import { endMark } from './block-moments.js';
import { identityOf } from './file-identity.js';
import { segmentName } from './segment-name.js';

/** The file of a segment, written in pieces of whole blocks. */
export class SegmentFile {
  readonly number: number;
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #identity: string;
  #bytes = 0;
  #syncedAtMs: number;

  private constructor(parts: {
    readonly number: number;
    readonly file: string;
    readonly handle: FileHandle;
    readonly nowMs: number;
  }) {
    this.number = parts.number;
    this.#file = parts.file;
    this.#handle = parts.handle;
    this.#identity = identityOf(parts.file) ?? '';
    this.#syncedAtMs = parts.nowMs;
  }

  /**
   * Creates the file of a segment. Rejects with `JOURNAL_WRITE_FAILED`, also when the file exists.
   */
  static async create(folder: string, number: number, nowMs: number): Promise<SegmentFile> {
    const file = path.join(folder, segmentName(number));
    const handle = await open(file, 'wx').catch(throwWriteFailed);
    const segment = new SegmentFile({ number, file, handle, nowMs });
    await syncFolder(folder);
    return segment;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Appends a piece. A partly written piece is truncated, so that the file ends with a whole block.
   * Rejects with `JOURNAL_WRITE_FAILED`, also when the file is no longer at its path.
   */
  async appendPiece(piece: Uint8Array, nowMs: number): Promise<void> {
    if (identityOf(this.#file) !== this.#identity) {
      throw new JournalError('JOURNAL_WRITE_FAILED', 'the file was moved or deleted');
    }
    try {
      await this.#handle.appendFile(piece);
      this.#bytes += piece.length;
      if (nowMs - this.#syncedAtMs < SYNC_MS) return;
      this.#syncedAtMs = nowMs;
      await this.#handle.datasync();
    } catch (error) {
      await this.#handle.truncate(this.#bytes).catch(() => undefined);
      throwWriteFailed(error);
    }
  }

  /**
   * Syncs and closes the file; a complete file gets its end mark. Rejects with
   * `JOURNAL_WRITE_FAILED`.
   */
  async close(last: JournalMoment | null): Promise<void> {
    try {
      if (last !== null) await this.#handle.appendFile(endMark(last));
      await this.#handle.datasync();
    } catch (error) {
      throwWriteFailed(error);
    } finally {
      await this.#handle.close().catch(() => undefined);
    }
  }
}

/** A new name survives a power loss only after the folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(throwWriteFailed);
  try {
    await handle.sync();
  } catch {
    // Some file systems cannot sync folders; their names are stored with later writes.
  } finally {
    await handle.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'the file may not grow further',
  EROFS: 'the disk may only be read',
  EACCES: 'the folder may not be written',
  EPERM: 'the folder may not be written',
  EIO: 'the disk failed',
  ENOENT: 'the folder is gone',
};

/** Rethrows a disk error as a JournalError. */
function throwWriteFailed(error: unknown): never {
  if (error instanceof JournalError) throw error;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  const message = REASONS[code] ?? `the disk refused a write: ${textOfError(error)}`;
  throw new JournalError('JOURNAL_WRITE_FAILED', message, { cause: error });
}
