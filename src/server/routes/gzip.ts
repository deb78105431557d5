/**
 * Compressed bodies, each made once for its version and off the event loop.
 *
 * It does not know what a body says; what makes two bodies equal is the caller's key and version.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LIMITS } from '../../config/limits.js';

const compress = promisify(gzip);

/** The fastest level: a book lives for one slot, and level 1 already saves four fifths of it. */
const LEVEL = 1;

/** Which body, and of which version. */
export interface BodyVersion {
  readonly key: string;
  readonly version: string;
}

interface CachedGzip {
  readonly version: string;
  readonly bytes: Uint8Array;
}

/** Bounded by bytes; the body that was made first goes first. */
export class GzipCache {
  private readonly kept = new Map<string, CachedGzip>();
  private readonly pending = new Map<string, Promise<Uint8Array>>();
  private bytes = 0;
  private pendingBytes = 0;

  constructor(private readonly bytesMax: number = LIMITS.gzipCacheBytesMax) {}

  /** The compressed body that was made before, at once, or that is being made, later. */
  findBody({ key, version }: BodyVersion): Uint8Array | Promise<Uint8Array> | undefined {
    const kept = this.kept.get(key);
    if (kept?.version === version) return kept.bytes;
    return this.pending.get(nameOf({ key, version }));
  }

  /**
   * The compressed body, made now where it has not been; undefined when too many are being made
   * already. What `body` answers must stay as it is.
   */
  compressBody(
    wanted: BodyVersion,
    body: () => Uint8Array,
  ): Uint8Array | Promise<Uint8Array> | undefined {
    const found = this.findBody(wanted);
    if (found !== undefined) return found;
    const { gzipPendingMax, gzipPendingBytesMax } = LIMITS;
    if (this.pending.size >= gzipPendingMax) return undefined;
    if (this.pendingBytes >= gzipPendingBytesMax) return undefined;
    const { key, version } = wanted;
    const name = nameOf(wanted);
    const plain = body();
    this.pendingBytes += plain.length;
    const made = compress(plain, { level: LEVEL })
      .then((bytes) => this.cacheBody(key, { version, bytes }))
      .finally(() => {
        this.pendingBytes -= plain.length;
        this.pending.delete(name);
      });
    this.pending.set(name, made);
    return made;
  }

  private cacheBody(key: string, entry: CachedGzip): Uint8Array {
    this.dropBody(key);
    this.kept.set(key, entry);
    this.bytes += entry.bytes.length;
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= this.bytesMax) break;
      this.dropBody(oldest);
    }
    return entry.bytes;
  }

  private dropBody(key: string): void {
    const entry = this.kept.get(key);
    if (entry === undefined) return;
    this.bytes -= entry.bytes.length;
    this.kept.delete(key);
  }
}

function nameOf({ key, version }: BodyVersion): string {
  return `${key} ${version}`;
}

/** Whether an Accept-Encoding header allows gzip by name; `q=0` forbids it. */
export function acceptsGzip(header: string): boolean {
  return header.split(',').some((coding) => {
    const [name, ...parameters] = coding.toLowerCase().split(';');
    return name?.trim() === 'gzip' && !parameters.some((part) => /^\s*q=0(\.0*)?\s*$/.test(part));
  });
}
