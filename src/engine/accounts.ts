import type { Core } from '@slotbook/core/native';
import type { AccountSource } from '../contract/account-source.js';
import type { TopicDelta, TopicSnapshotRequest } from '../contract/topics.js';
import { OutputBuffer } from './output-buffer.js';
import { parseText } from './parse.js';

/** The accounts of a core, and the topics of those that are watched. */
export class Accounts implements AccountSource {
  readonly #core: Core;
  readonly #frame = new OutputBuffer('frame');
  /** Words of a call: unix milliseconds go in; prev, seq and reset come out. */
  readonly #callWords = new BigUint64Array(3);
  readonly #callBytes = Buffer.from(this.#callWords.buffer);

  constructor(core: Core) {
    this.#core = core;
  }

  get count(): number {
    return this.#core.census().accounts;
  }

  holds(account: string): boolean {
    return this.#core.hasUser(account);
  }

  ofAuthority(authority: string): readonly string[] {
    return parseText(this.#core.accountsOf(authority));
  }

  render(account: string, data?: Uint8Array): string | null {
    return this.#core.account(account, data && Buffer.from(data));
  }

  watch(account: string, nowMs: number, data?: Uint8Array): boolean {
    return this.#core.watchUser(account, nowMs, data && Buffer.from(data));
  }

  unwatch(account: string): void {
    this.#core.unwatchUser(account);
  }

  takeTouched(): readonly string[] {
    return parseText(this.#core.takeTouchedUsers());
  }

  noteTrade(account: string, text: string): void {
    this.#core.noteUserTrade(account, text);
  }

  renderDelta(account: string, nowMs: number, data?: Uint8Array): TopicDelta | null {
    const words = this.#callWords;
    const frame = this.#frame.renderView((out) => {
      words[0] = BigInt(Math.floor(nowMs));
      return this.#core.userFrame(account, this.#callBytes, out, data && Buffer.from(data));
    });
    if (frame.length === 0) return null;
    const [prev = 0n, seq = 0n, reset = 0n] = words;
    return { frame, prev: Number(prev), seq: Number(seq), reset: reset !== 0n };
  }

  renderSnapshot(account: string, { id, reset }: TopicSnapshotRequest): Uint8Array {
    return watched(this.#core.userSnapshot(account, id, reset));
  }

  renderHeartbeat(account: string, nowMs: number): Uint8Array {
    return watched(this.#core.userHeartbeat(account, nowMs));
  }
}

function watched(text: string | null): Uint8Array {
  if (text === null) throw new Error('Invariant: a topic of an account is watched');
  return Buffer.from(text);
}
