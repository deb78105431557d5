/** Finished pieces are forgotten when so many have gathered at the front. */
const TAKEN_KEPT_MAX = 1_024;

/** Pieces of bytes in order, taken out again in blocks of another size. It copies nothing in. */
export class ByteQueue {
  #pieces: (Uint8Array | null)[] = [];
  #first = 0;
  /** Bytes of the first piece that were taken. */
  #taken = 0;
  #length = 0;

  /** Bytes that wait. */
  get length(): number {
    return this.#length;
  }

  push(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      this.#pieces.push(piece);
      this.#length += piece.length;
    }
  }

  /** Takes the first bytes: so many, or all that are there. */
  takeBytes(count: number): Buffer {
    const block = Buffer.allocUnsafe(Math.min(count, this.#length));
    for (let at = 0; at < block.length; ) {
      const piece = this.#pieces[this.#first];
      if (piece == null) throw new Error('Invariant: the pieces hold the length of the queue');
      const part = piece.subarray(this.#taken, this.#taken + block.length - at);
      block.set(part, at);
      at += part.length;
      this.#taken += part.length;
      if (this.#taken === piece.length) this.#dropPiece();
    }
    this.#length -= block.length;
    return block;
  }

  clear(): void {
    this.#pieces = [];
    this.#first = 0;
    this.#taken = 0;
    this.#length = 0;
  }

  /** A piece is let go as soon as it is taken: a snapshot's body is large. */
  #dropPiece(): void {
    this.#pieces[this.#first] = null;
    this.#first += 1;
    this.#taken = 0;
    if (this.#first < this.#pieces.length && this.#first < TAKEN_KEPT_MAX) return;
    this.#pieces.splice(0, this.#first);
    this.#first = 0;
  }
}
