/**
 * The book of a standby core: it follows another core's log and the chain in parallel, and takes
 * over when the other core fails.
 */
import type { Readiness } from '../contract/feed-status.js';
import { Engine } from '../engine/engine.js';
import type { TurnDigest } from '../engine/journal-writer.js';
import { freshnessOf } from '../feed/model/feed-stats.js';
import { StandbyEngine } from '../feed/standby-engine.js';
import { Journal } from '../journal/journal.js';
import { takeLogOver } from '../journal/log-failover.js';
import { LogFollower } from '../journal/log-follower.js';
import { LATE_SLOTS, STANDBY_BYTES_MAX } from '../journal/model/limits.js';
import type { LogSetup } from '../journal/model/log-place.js';
import { type FeedEvents, newEpoch, type ServiceFeed } from './chain-feed.js';
import { type CoreParts, logSetupOf, newEnding, proofsOf } from './core-parts.js';
import { type BookOrigin, journaledFeed, throwSettingError } from './feeds.js';
import { chainOf } from './live-chain.js';
import type { ProvenBook } from './proven-feed.js';
import { replyToQuotes } from './quote-forwarding.js';

/** Returns the book of the log; after the failover, this core writes the log. */
export function standbyOrigin(parts: CoreParts): BookOrigin {
  const { config, runtime } = parts;
  const { programId, program } = config;
  const engine = new Engine({ programId, program, epoch: '' });
  const setup = { ...logSetupOf(parts), isStandby: true };
  const { ended, end } = newEnding();
  const proofs = proofsOf(parts);
  const onDigest = (digest: TurnDigest): void => proofs?.addDigest(digest);
  const { turnLog } = engine;
  const journal = new Journal({ setup, turnLog, ...runtime, onEnded: end, onDigest });
  const proven = proofs && { proofs, engine };
  const feed = (events: FeedEvents): ServiceFeed =>
    new Standby({ ...parts, setup, engine, journal, proven, ended, end, events }).bookFeed();
  return { engine, journal, feed };
}

interface StandbyParts extends CoreParts {
  readonly setup: LogSetup;
  /** Owns the book of the log. */
  readonly engine: Engine;
  readonly journal: Journal;
  readonly proven: ProvenBook | undefined;
  readonly ended: Promise<never>;
  readonly end: (error: Error) => void;
  readonly events: FeedEvents;
}

/**
 * Follows the log and the chain in parallel until this core acquires the lease; the two are then
 * combined.
 */
class Standby {
  readonly #parts: StandbyParts;
  readonly #follower: LogFollower;
  readonly #switched: StandbyEngine;
  readonly #live: ServiceFeed;
  readonly #stop = new AbortController();
  #isCore = false;
  /** Whether the own feed was ever live. */
  #wasLive = false;

  constructor(parts: StandbyParts) {
    const { config, runtime, engine, journal, genesisHash, end } = parts;
    const { programId, program } = config;
    const { place } = config.log;
    this.#parts = parts;
    const warm = new Engine({ programId, program, epoch: newEpoch(runtime.timers) });
    const bounds = { bytesMax: STANDBY_BYTES_MAX, lateSlots: LATE_SLOTS };
    this.#switched = new StandbyEngine({ warm, ...bounds });
    this.#follower = new LogFollower({
      place,
      programId,
      genesisHash,
      engine,
      ...runtime,
      drainAfterMs: Number.POSITIVE_INFINITY,
      freshness: (ageMs) => freshnessOf(ageMs, config),
      onTurn: () => this.#switched.noteLogSlot(this.#follower.slot),
    });
    const refused = (error: unknown): never => throwSettingError('nats', place.stream, error);
    const events = this.#eventsOf(parts.events);
    const chain = chainOf(genesisHash, end);
    const own = { config, runtime, engine: this.#switched, events, chain };
    this.#live = journaledFeed(own, { journal, refused, proven: parts.proven });
  }

  bookFeed(): ServiceFeed {
    const { ended, link } = this.#parts;
    return {
      ...this.#live,
      start: () => {
        void link.start();
        return Promise.race([this.#live.start().then(() => ended), ended, this.#standBy()]);
      },
      stop: () => this.#stopAll(),
      status: () => this.#status(),
      makersElsewhere: link,
    };
  }

  #status(): Readiness {
    if (this.#isCore) return { ...this.#live.status(), role: 'core' };
    const { slot } = this.#follower;
    const waiting = { everLive: false, state: 'starting', reason: 'standby', slot } as const;
    return { ...waiting, role: 'standby' };
  }

  /** Returns the events of the standby's own feed, which are forwarded after the failover. */
  #eventsOf(events: FeedEvents): FeedEvents {
    return {
      ...events,
      onTurn: (turn) => {
        if (this.#isCore) events.onTurn?.(turn);
      },
      onFirstLive: () => {
        this.#wasLive = true;
        if (this.#isCore) events.onFirstLive?.();
      },
    };
  }

  async #standBy(): Promise<never> {
    const { lease, runtime, ended } = this.#parts;
    runtime.log.info({}, 'another core writes the log: this one stands by');
    const following = this.#follower.start();
    const held = new Promise<void>((resolve) => lease.keep(resolve));
    await Promise.race([held, following.then(() => ended)]);
    await this.#takeOver(following);
    return ended;
  }

  async #takeOver(following: Promise<void>): Promise<void> {
    const { setup, run, engine, journal, runtime, events } = this.#parts;
    const { log, timers } = runtime;
    const { signal } = this.#stop;
    const taken = await takeLogOver({ setup, follower: this.#follower, run, timers, signal });
    await this.#follower.stop();
    await following;
    const reader = this.#follower.handOver();
    journal.takeOver(taken, reader);
    const { slot } = this.#follower;
    // A core that ended while it read all accounts left an incomplete book.
    const wasWhole = engine.state !== 'rebuilding';
    const writtenFrom = reader.writtenFrom.bind(reader);
    const isWhole = this.#switched.switchTo({ engine, slot, writtenFrom }) && wasWhole;
    this.#isCore = true;
    log.info({ run, sequence: taken.sequence, slot, isWhole }, 'this core goes on with the log');
    if (isWhole) this.#live.requestTurn?.();
    else this.#live.readAgain?.('a standby took over that had not received all');
    if (this.#wasLive) events.onFirstLive?.();
    this.#takeQuotes();
  }

  #takeQuotes(): void {
    const { engine, lease, link } = this.#parts;
    const book = { engine, live: this.#live, readiness: () => this.#status() };
    link.serveRequests(replyToQuotes({ ...book, isWriter: () => lease.isHeld }));
  }

  async #stopAll(): Promise<void> {
    this.#stop.abort();
    await this.#parts.link.stop();
    await this.#follower.stop();
    await this.#live.stop();
    await this.#parts.lease.stop();
  }
}
