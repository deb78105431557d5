import { type KV, Kvm } from '@nats-io/kv';
import { nanos } from '@nats-io/transport-node';
import type { Timers } from '../../contract/timers.js';
import { loggedFailure } from '../../rpc/error.js';
import type { Log } from '../../rpc/log.js';
import { sleep } from '../../rpc/timers.js';
import { JournalError } from '../model/error.js';
import {
  LEASE_PAUSE_MS_MAX,
  LEASE_STOP_MS_MAX,
  LEASE_TRIES,
  LOG_RETRY_MS,
} from '../model/limits.js';
import type { LogPlace } from '../model/log-place.js';
import { connectLog, type LogConnection } from './connect.js';

/** The single key of a lease's bucket. */
const KEY = 'core';

/** The options of a lease. */
interface LeaseOptions {
  readonly place: LogPlace;
  /** The unique name of this core. */
  readonly holder: string;
  /** Expiry after the last renewal, milliseconds. */
  readonly leaseMs: number;
  readonly replicas: number;
  readonly log: Log;
  readonly timers: Timers;
}

/**
 * The lease that selects the one core that writes a log: a key in a NATS bucket with expiring
 * entries. The lease only decides which core should write; the expected sequence number in each
 * message guarantees exclusive writing.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #end = new AbortController();
  #connection: LogConnection | null = null;
  #bucket: KV | null = null;
  /** The revision of this core's own entry; 0 when there is none. */
  #revision = 0;
  #keeping: Promise<void> | null = null;
  #onHeld: () => void = () => undefined;
  #failure: string | null = null;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Whether this core believes to hold it. */
  get isHeld(): boolean {
    return this.#revision > 0;
  }

  /**
   * Acquires or renews the lease; returns whether this core holds it. Rejects with `LOG_REFUSED` or
   * `LOG_UNREACHABLE`, or when NATS fails.
   */
  async tryHold(): Promise<boolean> {
    const bucket = await this.#open();
    if (this.isHeld && (await this.#renew(bucket))) return true;
    const { holder } = this.#options;
    try {
      this.#revision = await bucket.create(KEY, holder);
    } catch (error) {
      const entry = await bucket.get(KEY);
      if (entry === null) throw error;
      // The entry may be this core's own, after a lost acknowledgement.
      this.#revision = entry.string() === holder ? entry.revision : 0;
    }
    return this.isHeld;
  }

  /**
   * Acquires the lease if it is free, and renews it from then on; returns whether this core holds
   * it. Retries while NATS is unreachable. Rejects with `LOG_REFUSED`.
   */
  async holdFirst(): Promise<boolean> {
    const { signal } = this.#end;
    for (;;) {
      try {
        const isHeld = await this.tryHold();
        if (isHeld) this.keep();
        return isHeld;
      } catch (error) {
        if (error instanceof JournalError && error.code === 'LOG_REFUSED') throw error;
        this.#noteFailure(error);
      }
      await sleep(this.#options.timers, LOG_RETRY_MS, signal);
    }
  }

  /** Tries periodically from now on; calls `onHeld` each time the lease is acquired. */
  keep(onHeld: () => void = () => undefined): void {
    this.#onHeld = onHeld;
    this.#keeping ??= this.#keepOn();
  }

  /** Releases it immediately; without NATS it expires. */
  async stop(): Promise<void> {
    this.#end.abort();
    const late = new AbortController();
    const limit = sleep(this.#options.timers, LEASE_STOP_MS_MAX, late.signal).catch(
      () => undefined,
    );
    await Promise.race([this.#giveBack(), limit]);
    late.abort();
    this.#revision = 0;
    await this.#connection?.nats.close();
  }

  async #giveBack(): Promise<void> {
    await this.#keeping;
    if (!this.isHeld) return;
    await this.#bucket?.delete(KEY, { previousSeq: this.#revision }).catch(() => undefined);
  }

  #noteFailure(error: unknown): void {
    // Someone may have deleted the bucket: the next attempt makes it again.
    this.#bucket = null;
    const reason = loggedFailure(error);
    if (this.#failure !== reason) {
      this.#options.log.warn({ reason }, 'the lease cannot be asked for');
    }
    this.#failure = reason;
  }

  async #keepOn(): Promise<void> {
    const { leaseMs, log } = this.#options;
    const { signal } = this.#end;
    const pauseMs = Math.min(leaseMs / LEASE_TRIES, LEASE_PAUSE_MS_MAX);
    for (let wasHeld = this.isHeld; !signal.aborted; wasHeld = this.isHeld) {
      await sleep(this.#options.timers, pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.tryHold();
        this.#failure = null;
      } catch (error) {
        this.#noteFailure(error);
      }
      if (signal.aborted) return;
      if (wasHeld && !this.isHeld) log.warn({}, 'the lease was lost to another core');
      if (!wasHeld && this.isHeld) this.#onHeld();
    }
  }

  /** Renews the entry; returns false when it is no longer this core's own. */
  async #renew(bucket: KV): Promise<boolean> {
    const { holder } = this.#options;
    try {
      this.#revision = await bucket.update(KEY, holder, this.#revision);
      return true;
    } catch {
      return false;
    }
  }

  async #open(): Promise<KV> {
    const { place, leaseMs, replicas } = this.#options;
    if (this.#connection?.nats.isClosed() === true) [this.#connection, this.#bucket] = [null, null];
    this.#connection ??= await connectLog(place, 'slotbook lease');
    if (this.#bucket !== null) return this.#bucket;
    const name = `${place.stream}-lease`;
    const { stream, manager } = this.#connection;
    const bucket = await new Kvm(stream).create(name, { ttl: leaseMs, history: 1, replicas });
    // An existing bucket keeps its own expiry, so the expiry is updated.
    const times = { max_age: nanos(leaseMs), duplicate_window: nanos(leaseMs) };
    if ((await bucket.status()).ttl !== leaseMs) await manager.streams.update(`KV_${name}`, times);
    this.#bucket = bucket;
    return bucket;
  }
}
