/** Bodies of the history, kept for their version. */
import { LIMITS } from '../../config/limits.js';
import type { HistoryAnswer } from '../ports/market-data-source.js';

/** An answer, and what it is an answer of. */
export interface CachedAnswer {
  readonly version: string;
  readonly answer: HistoryAnswer;
}

/** Bounded by bytes; what was not wanted for longest goes first. */
export class HistoryCache {
  readonly #kept = new Map<string, CachedAnswer>();
  #bytes = 0;

  constructor(private readonly bytesMax: number = LIMITS.historyCacheBytesMax) {}

  /** Bytes of all keys and bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer of this version, or one that no version can change. */
  findAnswer(key: string, version: string): HistoryAnswer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.version !== version && kept.answer.isFinal !== true) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.answer;
  }

  /** Keeps an answer in place of an older one of the same key. */
  cacheAnswer(key: string, entry: CachedAnswer): void {
    this.#dropAnswer(key);
    this.#kept.set(key, entry);
    this.#bytes += bytesOf(key, entry);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.bytesMax) break;
      this.#dropAnswer(oldest);
    }
  }

  #dropAnswer(key: string): void {
    const entry = this.#kept.get(key);
    if (entry === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= bytesOf(key, entry);
  }
}

/** An entry without a byte of body takes room as well. */
const ENTRY_BYTES = 512;

function bytesOf(key: string, { answer }: CachedAnswer): number {
  return ENTRY_BYTES + key.length + answer.body.length;
}
