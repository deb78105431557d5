import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { LogPlace } from '../model/log-place.js';
import { type LogMessageId, parseId, textOfId } from './message-id.js';

/** A message as the log has it. */
interface SealedMessage {
  /** The sequence number of the message in the stream. */
  readonly sequence: number;
  readonly bytes: Uint8Array;
  /** The values of the message's headers; empty for none. */
  readonly behind: string;
  readonly after: string;
}

/** The metadata of a checkpoint in its bucket. */
interface SealedCheckpoint {
  /** The creation time of the stream. */
  readonly created: string;
  readonly run: string;
  readonly next: number;
  /** The hash of the checkpoint's bytes, see {@link hashOf}. */
  readonly hash: string;
}

/** Bytes of a seal: a forged seal is valid with a probability of 2^-128. */
const SEAL_BYTES = 16;

/**
 * Authenticates messages and checkpoints of a log by `--log-key`, with a keyed hash (HMAC-SHA-256).
 * The seal of a message includes its sequence number, so that a repeated message counts as foreign.
 * Without a key, every message whose id has a core's format counts as a core's message.
 */
export class LogSeal {
  readonly #stream: string;
  readonly #key: string | undefined;

  constructor({ stream, key }: LogPlace) {
    this.#stream = stream;
    this.#key = key;
  }

  /** Returns the id under which a message is appended. */
  nameOf(id: string, message: SealedMessage): string {
    return this.#key === undefined ? id : `${id}.${this.#sealOf(id, message)}`;
  }

  /** Reads the id of a message; null for a message that no core wrote. */
  readName(name: string, message: SealedMessage): LogMessageId | null {
    const found = parseId(name);
    if (found === null || this.#key === undefined) return found;
    return isEqual(name, this.nameOf(textOfId(found), message)) ? found : null;
  }

  /** Returns the seal of a checkpoint; empty without a key. */
  sealCheckpoint({ created, run, next, hash }: SealedCheckpoint): string {
    return this.#key === undefined ? '' : this.#hmac([created, run, String(next), hash]);
  }

  /** Whether a checkpoint has this seal. */
  isOfCheckpoint(seal: string, checkpoint: SealedCheckpoint): boolean {
    return this.#key === undefined || isEqual(seal, this.sealCheckpoint(checkpoint));
  }

  #sealOf(id: string, { sequence, behind, after, bytes }: SealedMessage): string {
    return this.#hmac([id, String(sequence), behind, after], bytes);
  }

  #hmac(texts: readonly string[], bytes: Uint8Array = new Uint8Array(0)): string {
    const hmac = createHmac('sha256', this.#key ?? '');
    hmac.update(JSON.stringify([this.#stream, ...texts])).update(bytes);
    return hmac.digest().subarray(0, SEAL_BYTES).toString('base64url');
  }
}

/** The hash of a checkpoint's bytes. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
