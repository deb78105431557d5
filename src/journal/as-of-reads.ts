/**
 * Past books on the main thread: receives requests, ensures that the requested turns are in the
 * files, and distributes the requests to threads. This file reads no journal and renders no body.
 */

import { availableParallelism } from 'node:os';
import type {
  AsOfEvent,
  AsOfReply,
  AsOfRequest,
  AsOfSource,
  AsOfStats,
} from '../contract/as-of-source.js';
import { Deferred } from '../contract/deferred.js';
import { ClientTurns, FairShare, type QueuedClient } from '../contract/fair-share.js';
import type { Timer, Timers } from '../contract/timers.js';
import { loggedFailure, shownFailure } from '../rpc/error.js';
import type { Log } from '../rpc/log.js';
import type { ThreadLink } from '../rpc/threads.js';
import { JournalError } from './model/error.js';
import {
  AS_OF_IDLE_MS,
  AS_OF_MS_MAX,
  AS_OF_THREADS_MAX,
  AS_OF_WAITING_MAX,
  SUMMARY_LOOK_MS,
  SUMMARY_STEP_MS,
} from './model/limits.js';
import type { JournalFiles, MomentResult, ToPast } from './model/messages.js';
import { type FlushedJournal, RecentTurns } from './recent-turns.js';
import { startThread } from './worker-link.js';

/** Dependencies of past reads. */
interface AsOfOptions {
  readonly files: JournalFiles;
  readonly journal: FlushedJournal;
  readonly log: Log;
  readonly timers: Timers;
  /** Maximum number of threads; by default a part of the machine's cores. */
  readonly threadsMax?: number;
}

interface Job extends QueuedClient {
  readonly id: number;
  readonly request: AsOfRequest;
  readonly deadline: Timer;
  readonly settle: (reply: AsOfReply) => void;
  readonly fail: (error: Error) => void;
  isSettled: boolean;
  /** See {@link MomentJob}. */
  flushedMs: number;
  newestMs: number;
}

interface Slot {
  readonly thread: ThreadLink<ToPast>;
  /** Shared memory with one number: the job that is no longer wanted. */
  readonly unwanted: Int32Array;
  job: Job | null;
  idle: Timer | null;
}

/** The requests for past moments of one service. */
export class AsOfReads implements AsOfSource {
  readonly #options: AsOfOptions;
  readonly #threadsMax: number;
  readonly #recent: RecentTurns;
  /** The threads, ordered by last use: the last thread's books are the most likely to be reused. */
  readonly #slots: Slot[] = [];
  readonly #waiting = new Set<Job>();
  readonly #turns = new ClientTurns();
  /** Unanswered requests. */
  readonly #open = new Set<Job>();
  readonly #share = new FairShare(AS_OF_WAITING_MAX);
  #lastId = 0;
  #isStopped = false;
  readonly #events: Record<AsOfEvent, number> = {
    requests: 0,
    bodies: 0,
    notKept: 0,
    queueRefusals: 0,
    late: 0,
    restores: 0,
    warmHits: 0,
  };

  constructor(options: AsOfOptions) {
    this.#options = options;
    this.#recent = new RecentTurns(options.journal, options.timers);
    this.#threadsMax = options.threadsMax ?? threadsOf(availableParallelism());
  }

  readStats(): AsOfStats {
    return { open: this.#open.size, threads: this.#slots.length, events: { ...this.#events } };
  }

  /** See {@link AsOfSource}. Rejects when the thread of the request has ended. */
  async readMoment(request: AsOfRequest, of: QueuedClient): Promise<AsOfReply> {
    this.#events.requests += 1;
    const reply = await this.#makeReply(request, of);
    if (reply.kind === 'body') this.#events.bodies += 1;
    else if (reply.kind === 'notKept') this.#events.notKept += 1;
    else if (reply === FULL) this.#events.queueRefusals += 1;
    else if (reply === LATE) this.#events.late += 1;
    return reply;
  }

  async #makeReply(request: AsOfRequest, of: QueuedClient): Promise<AsOfReply> {
    if (this.#isStopped) return STOPPING;
    if (!this.#share.take(of.client)) return FULL;
    const replied = new Deferred<AsOfReply>();
    const job = this.#openJob(request, of, replied);
    this.#recent.flushFor(request.moment).then((flushedMs) => {
      if (job.isSettled) return;
      job.flushedMs = flushedMs;
      job.newestMs = this.#options.journal.readStats().newest?.ts ?? 0;
      this.#waiting.add(job);
      this.#startJobs();
    }, job.fail);
    return replied.promise;
  }

  /**
   * Makes the summary of a segment that has just ended, so that no request waits for it. Failures
   * are left to requests, which try again.
   */
  async summarizeEnded(): Promise<void> {
    const ts = this.#options.journal.readStats().newest?.ts ?? 0;
    const history = {
      key: { marketType: 'perp', marketIndex: 0 },
      fromMs: ts - SUMMARY_LOOK_MS,
      stepMs: SUMMARY_STEP_MS,
    } as const;
    const moment = { by: 'ts', value: ts } as const;
    const request = { moment, bodies: { history } };
    const of = { client: undefined, isGone: () => this.#isStopped };
    for (let reply: AsOfReply | undefined; isMore(reply); ) {
      reply = await this.#makeReply(request, of).catch(() => STOPPING);
    }
  }

  /** Ends all threads. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const job of this.#open) job.settle(STOPPING);
    const slots = this.#slots.splice(0);
    for (const { idle } of slots) idle?.cancel();
    await Promise.all(slots.map(({ thread }) => thread.terminate()));
  }

  #openJob(request: AsOfRequest, of: QueuedClient, replied: Deferred<AsOfReply>): Job {
    this.#lastId = (this.#lastId + 1) & ID_MASK;
    const close = (work: () => void): void => {
      if (job.isSettled) return;
      job.isSettled = true;
      job.deadline.cancel();
      this.#open.delete(job);
      this.#share.give(of.client);
      work();
    };
    const job: Job = {
      id: this.#lastId,
      request,
      ...of,
      isSettled: false,
      flushedMs: 0,
      newestMs: 0,
      deadline: this.#options.timers.after(AS_OF_MS_MAX, () => this.#giveUp(job)),
      settle: (reply) => close(() => replied.resolve(reply)),
      fail: (error) => close(() => replied.reject(error)),
    };
    this.#open.add(job);
    return job;
  }

  #giveUp(job: Job): void {
    this.#waiting.delete(job);
    for (const slot of this.#slots) if (slot.job === job) Atomics.store(slot.unwanted, 0, job.id);
    job.settle(LATE);
  }

  #startJobs(): void {
    while (this.#waiting.size > 0 && !this.#isStopped) {
      const slot = this.#slots.findLast(({ job }) => job === null) ?? this.#startThread();
      if (slot === undefined) return;
      const job = this.#turns.takeNext(this.#waiting);
      if (job === undefined) return;
      this.#waiting.delete(job);
      if (job.isSettled) continue;
      if (job.isGone()) job.settle({ kind: 'busy', message: 'the client is gone' });
      else this.#startJob(slot, job);
    }
  }

  #startJob(slot: Slot, job: Job): void {
    slot.idle?.cancel();
    slot.job = job;
    this.#slots.splice(this.#slots.indexOf(slot), 1);
    this.#slots.push(slot);
    const { id, request, flushedMs, newestMs } = job;
    slot.thread.sendMessage({ id, kind: 'moment', ...request, flushedMs, newestMs });
  }

  #startThread(): Slot | undefined {
    if (this.#slots.length >= this.#threadsMax) return undefined;
    const unwanted = new Int32Array(new SharedArrayBuffer(4));
    const setup = { ...this.#options.files, unwanted: unwanted.buffer };
    const thread = startThread('replays', setup, {
      onMessage: (message) => {
        if (message.kind === 'moment') this.#endJob(slot, message);
      },
      onEnd: (cause) => this.#forgetThread(slot, cause),
    });
    const slot: Slot = { thread, unwanted, job: null, idle: null };
    this.#slots.push(slot);
    return slot;
  }

  #endJob(slot: Slot, { reply, books }: MomentResult): void {
    this.#events.restores += books.restores;
    this.#events.warmHits += books.warmHits;
    const { job } = slot;
    slot.job = null;
    slot.idle = this.#options.timers.after(AS_OF_IDLE_MS, () => {
      this.#slots.splice(this.#slots.indexOf(slot), 1);
      void slot.thread.terminate();
    });
    job?.settle(reply ?? LATE);
    this.#startJobs();
  }

  #forgetThread(slot: Slot, cause: Error): void {
    const at = this.#slots.indexOf(slot);
    if (at < 0) return;
    this.#slots.splice(at, 1);
    slot.idle?.cancel();
    this.#options.log.warn(
      { reason: loggedFailure(cause) },
      'a thread that makes past books ended',
    );
    slot.job?.fail(new JournalError('JOURNAL_FAILED', `the thread ended: ${shownFailure(cause)}`));
    this.#startJobs();
  }
}

/** Whether another request makes more of a summary. */
function isMore(reply: AsOfReply | undefined): boolean {
  return reply === undefined || (reply.kind === 'body' && reply.isPartial === true);
}

/** Job numbers wrap around within 32 bits. */
const ID_MASK = 0x3fff_ffff;

const STOPPING: AsOfReply = { kind: 'busy', message: 'the service is stopping' };
const FULL: AsOfReply = {
  kind: 'busy',
  message: `of ${AS_OF_WAITING_MAX} requests for past moments that may wait, this address has its share`,
};
const LATE: AsOfReply = {
  kind: 'busy',
  message: `the book of this moment was not there within ${AS_OF_MS_MAX} ms`,
};

/** Half of the cores remain for the live book and its readers. */
function threadsOf(cores: number): number {
  return Math.min(AS_OF_THREADS_MAX, Math.max(1, Math.floor(cores / 2)));
}
