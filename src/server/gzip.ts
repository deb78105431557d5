/**
 * Compressed bodies, each made once for its version and off the event loop.
 *
 * It does not know what a body says; what makes two bodies equal is the caller's key and version.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LIMITS } from '../limits.js';

const compress = promisify(gzip);

/** The fastest level: a book lives for one slot, and level 1 already saves four fifths of it. */
const LEVEL = 1;

interface Kept {
  readonly version: string;
  readonly bytes: Uint8Array;
}

/** Bounded by bytes; the body that was made first goes first. */
export class GzipCache {
  private readonly kept = new Map<string, Kept>();
  private readonly pending = new Map<string, Promise<Uint8Array>>();
  private bytes = 0;

  /**
   * The compressed body: at once when it was made before, later when it has to be made, and
   * undefined when too many are being made already. `body` is copied if it is needed later.
   */
  get(wanted: {
    readonly key: string;
    readonly version: string;
    readonly body: Uint8Array;
  }): Uint8Array | Promise<Uint8Array> | undefined {
    const { key, version, body } = wanted;
    const kept = this.kept.get(key);
    if (kept?.version === version) return kept.bytes;
    const name = `${key} ${version}`;
    const pending = this.pending.get(name);
    if (pending !== undefined) return pending;
    if (this.pending.size >= LIMITS.gzipPendingMax) return undefined;
    const made = compress(Uint8Array.from(body), { level: LEVEL })
      .then((bytes) => this.keep(key, { version, bytes }))
      .finally(() => this.pending.delete(name));
    this.pending.set(name, made);
    return made;
  }

  private keep(key: string, entry: Kept): Uint8Array {
    this.drop(key);
    this.kept.set(key, entry);
    this.bytes += entry.bytes.length;
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= LIMITS.gzipCacheBytesMax) break;
      this.drop(oldest);
    }
    return entry.bytes;
  }

  private drop(key: string): void {
    const entry = this.kept.get(key);
    if (entry === undefined) return;
    this.bytes -= entry.bytes.length;
    this.kept.delete(key);
  }
}

/** Whether an Accept-Encoding header allows gzip by name; `q=0` forbids it. */
export function acceptsGzip(header: string): boolean {
  return header.split(',').some((coding) => {
    const [name, ...parameters] = coding.toLowerCase().split(';');
    return name?.trim() === 'gzip' && !parameters.some((part) => /^\s*q=0(\.0*)?\s*$/.test(part));
  });
}
