/** A body and the version of the data from which the body was made. */
interface VersionedBody<Body> {
  readonly version: string;
  readonly body: Body;
  /** Size of the body. */
  readonly bytes: number;
  /** Whether the body is the same in every later version; absent means that it may change. */
  readonly isFinal?: boolean | undefined;
}

/** Memory of an entry in addition to its key and its body, bytes. */
const ENTRY_BYTES = 512;

/** A cache of bodies, bounded by bytes; the least recently used body is evicted first. */
export class BodyCache<Body> {
  readonly #cached = new Map<string, VersionedBody<Body>>();
  #bytes = 0;

  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes of all keys and bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the body of this version, or a final body, which is valid for every version. */
  findBody(key: string, version: string): Body | undefined {
    const cached = this.#cached.get(key);
    if (cached === undefined) return undefined;
    if (cached.version !== version && cached.isFinal !== true) return undefined;
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    return cached.body;
  }

  /** Caches a body, which replaces an older body of the same key. */
  cacheBody(key: string, entry: VersionedBody<Body>): void {
    this.#dropBody(key);
    this.#cached.set(key, entry);
    this.#bytes += entryBytes(key, entry);
    for (const oldest of this.#cached.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#dropBody(oldest);
    }
  }

  #dropBody(key: string): void {
    const entry = this.#cached.get(key);
    if (entry === undefined) return;
    this.#cached.delete(key);
    this.#bytes -= entryBytes(key, entry);
  }
}

function entryBytes(key: string, { bytes }: VersionedBody<unknown>): number {
  return ENTRY_BYTES + key.length + bytes;
}
