import type { ChainProgram } from '../../contract/program.js';
import type { NodeSocket } from '../../rpc/node-pool.js';
import type { AccountUpdate, AnnouncedSlot } from '../model/account-update.js';
import type { FeedSource, SourceListener } from '../model/feed-source.js';
import { ORACLES_MAX } from '../model/limits.js';
import { RpcUpdates } from '../model/rpc-updates.js';
import { plainUpdate } from './plain-update.js';

/** The dependencies of an RPC source. */
interface RpcSourceOptions extends ChainProgram {
  /** Host and port of the node. */
  readonly name: string;
  readonly socket: NodeSocket;
}

/**
 * The subscriptions of one RPC node as a source: one state for each slot, no write versions, no
 * dead slots, and a gap after each reconnect. Accounts are decoded so that they can be compared.
 */
export class RpcSource implements FeedSource {
  readonly kind = 'rpc';
  readonly counters = { connects: 0, resumes: 0, malformed: 0, foreign: 0 };
  readonly #options: RpcSourceOptions;
  #listener: SourceListener | null = null;
  /** The subscriptions of the open connection. */
  #updates: RpcUpdates | null = null;
  #isOpen = false;
  #keys: readonly string[] = [];

  constructor(options: RpcSourceOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  start(listener: SourceListener): void {
    this.#listener = listener;
    this.#options.socket.start({
      onOpened: () => void this.#subscribeAll(),
      onClosed: (reason) => this.#handleClosed(reason),
      onMalformed: () => this.#handleUnreadable(),
    });
  }

  stop(): void {
    this.#listener = null;
    this.#isOpen = false;
    this.#updates = null;
    this.#options.socket.stop();
  }

  dropConnection(reason: string): void {
    this.#options.socket.dropConnection(reason);
  }

  async followKeys(keys: readonly string[]): Promise<void> {
    this.#keys = keys.slice(0, ORACLES_MAX);
    if (this.#isOpen) await this.#updates?.followOracles(this.#keys);
  }

  async #subscribeAll(): Promise<void> {
    const { socket } = this.#options;
    const updates = new RpcUpdates(socket, this.#options, 'base64');
    this.#updates = updates;
    const isCurrent = (): boolean => updates === this.#updates;
    const onSlot = (slot: AnnouncedSlot | null): void => {
      if (isCurrent()) this.#handleSlot(slot);
    };
    const onUpdate = (update: AccountUpdate | null): void => {
      if (isCurrent()) this.#handleUpdate(update);
    };
    try {
      await updates.subscribeAll({ onSlot, onUpdate, onLost: () => undefined });
      await this.#followKeys(updates);
    } catch {
      if (isCurrent()) socket.dropConnection('a subscription was refused');
      return;
    }
    if (!isCurrent()) return;
    this.#isOpen = true;
    this.counters.connects += 1;
    this.#listener?.onOpened();
  }

  /** Repeats until the followed keys equal the requested keys, which may change meanwhile. */
  async #followKeys(updates: RpcUpdates): Promise<void> {
    let followed: readonly string[] | null = null;
    while (followed !== this.#keys) {
      followed = this.#keys;
      await updates.followOracles(followed);
    }
  }

  #handleClosed(reason: string): void {
    this.#isOpen = false;
    this.#updates = null;
    this.#listener?.onClosed(reason);
  }

  #handleSlot(notified: AnnouncedSlot | null): void {
    if (!this.#isOpen) return;
    if (notified === null) {
      this.#handleUnreadable();
      return;
    }
    this.#options.socket.resetBackoff();
    this.#listener?.onSlot({ ...notified, status: 'begun' });
  }

  #handleUpdate(update: AccountUpdate | null): void {
    if (!this.#isOpen) return;
    const plain = update === null ? null : plainUpdate(update);
    if (plain === null) this.#handleUnreadable();
    else this.#listener?.onUpdate({ ...plain, writeVersion: 0 });
  }

  #handleUnreadable(): void {
    this.counters.malformed += 1;
    if (this.#isOpen) this.#listener?.onMalformed();
  }
}
