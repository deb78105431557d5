/**
 * The last deltas of the topics, for clients that reconnect. The memory limit counts chunks, which
 * are allocated for several frames and their headers.
 */
import { LIMITS } from '../../config/limits.js';

/** Maximum number of frames in a chunk; the delta of one level has 200 bytes or more. */
const CHUNK_FRAMES_MAX = 64;

/** Size of a frame's header in bytes: `prev`, and the end offset of the frame. */
const FRAME_WORDS_BYTES = 8 + 4;

class Chunk {
  readonly prevs = new Float64Array(CHUNK_FRAMES_MAX);
  readonly ends = new Uint32Array(CHUNK_FRAMES_MAX);
  readonly frames: Uint8Array;
  readonly bytes: number;
  count = 0;
  filledAtMs = 0;

  constructor(
    readonly ring: Ring,
    /** The number of the first frame. */
    readonly first: number,
    frameBytes: number,
  ) {
    this.frames = Buffer.allocUnsafeSlow(frameBytes);
    this.bytes = frameBytes + CHUNK_FRAMES_MAX * FRAME_WORDS_BYTES;
  }

  startOf(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0);
  }

  hasRoomFor(frameBytes: number): boolean {
    if (this.count === CHUNK_FRAMES_MAX) return false;
    return this.startOf(this.count) + frameBytes <= this.frames.length;
  }
}

/** The memory of all rings. */
export class RingMemory {
  /** The chunks in the order of allocation; the oldest is dropped first. */
  readonly #chunks = new Set<Chunk>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number = LIMITS.ringBytesMax) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  allocateChunk(ring: Ring, first: number, frameBytes: number): Chunk {
    const chunk = new Chunk(ring, first, frameBytes);
    this.#bytes += chunk.bytes;
    for (const oldest of this.#chunks) {
      if (this.#bytes <= this.#bytesMax) break;
      oldest.ring.dropThrough(oldest);
    }
    this.#chunks.add(chunk);
    return chunk;
  }

  freeChunk(chunk: Chunk): void {
    if (this.#chunks.delete(chunk)) this.#bytes -= chunk.bytes;
  }

  /** Frees chunks filled before a time. */
  expireChunks(beforeMs: number): void {
    for (const chunk of this.#chunks) {
      if (chunk.filledAtMs < beforeMs) chunk.ring.dropThrough(chunk);
    }
  }
}

/** The last deltas of one topic, contiguous and numbered from 0. */
export class Ring {
  readonly #memory: RingMemory;
  /** Consecutive chunks, oldest first. */
  #chunks: Chunk[] = [];
  #bytes = 0;
  #nextNumber = 0;
  #lastSeq = -1;

  constructor(memory: RingMemory) {
    this.#memory = memory;
  }

  /** Allocated bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of the next delta. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** The sequence number of the last delta; -1 before the first delta. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Stores a copy of a delta. A delta larger than the ring is not stored, and clears the ring. */
  appendDelta(delta: { prev: number; seq: number; frame: Uint8Array }, nowMs: number): void {
    const { prev, seq, frame } = delta;
    this.#nextNumber += 1;
    this.#lastSeq = seq;
    if (frame.length > LIMITS.ringBytesPerTopicMax / 2) {
      this.clear();
      return;
    }
    const chunk = this.#chunkFor(frame.length);
    const start = chunk.startOf(chunk.count);
    chunk.frames.set(frame, start);
    chunk.ends[chunk.count] = start + frame.length;
    chunk.prevs[chunk.count] = prev;
    chunk.count += 1;
    chunk.filledAtMs = nowMs;
  }

  /**
   * Returns the number of the first delta after `seq`; {@link Ring.nextNumber} when the reader has
   * all deltas; undefined when that delta was dropped.
   *
   * Several deltas can follow the same `seq`, because changes of the state do not increase it; the
   * number of the first is returned. `seq` may lie between two frames of this ring when the
   * reader's topic was started later, in another process.
   */
  findNumberAfter(seq: number): number | undefined {
    if (this.#chunks.length === 0 || seq > this.#lastSeq) return undefined;
    for (const chunk of this.#chunks) {
      if ((chunk.prevs[chunk.count - 1] ?? -1) < seq) continue;
      const index = chunk.prevs.subarray(0, chunk.count).findIndex((prev) => prev >= seq);
      if (chunk.prevs[index] === seq) return chunk.first + index;
      return this.#numberBefore(chunk.first + index);
    }
    return seq === this.#lastSeq ? this.#nextNumber : this.#numberBefore(this.#nextNumber);
  }

  /** Returns the number of the previous delta; undefined when that delta was dropped. */
  #numberBefore(number: number): number | undefined {
    return number > (this.#chunks[0]?.first ?? number) ? number - 1 : undefined;
  }

  /** Returns a view of a delta by its number; undefined when the delta was dropped. */
  frame(number: number): Uint8Array | undefined {
    for (const chunk of this.#chunks) {
      const index = number - chunk.first;
      if (index < 0) return undefined;
      if (index < chunk.count)
        return chunk.frames.subarray(chunk.startOf(index), chunk.ends[index]);
    }
    return undefined;
  }

  /** Drops a chunk and all earlier chunks, so that the ring stays contiguous. */
  dropThrough(chunk: Chunk): void {
    const count = this.#chunks.indexOf(chunk) + 1;
    for (const gone of this.#chunks.splice(0, count)) {
      this.#bytes -= gone.bytes;
      this.#memory.freeChunk(gone);
    }
  }

  clear(): void {
    const last = this.#chunks.at(-1);
    if (last !== undefined) this.dropThrough(last);
  }

  #chunkFor(frameBytes: number): Chunk {
    const last = this.#chunks.at(-1);
    if (last?.hasRoomFor(frameBytes)) return last;
    const bytes = Math.max(LIMITS.ringChunkBytes, frameBytes);
    const chunk = this.#memory.allocateChunk(this, this.#nextNumber - 1, bytes);
    this.#chunks.push(chunk);
    this.#bytes += chunk.bytes;
    for (const oldest of [...this.#chunks]) {
      if (this.#bytes <= LIMITS.ringBytesPerTopicMax || oldest === chunk) break;
      this.dropThrough(oldest);
    }
    return chunk;
  }
}
