/**
 * Replays one past topic: plays a journal turn by turn, each at its time, and renders the frames
 * that its marks published. The owner schedules its steps.
 */
import type { ReplayCommand, ReplayRequest } from '../../contract/replay-source.js';
import { REPLAY_MARK_WAIT_MS } from '../model/limits.js';
import type { WrittenJournal } from '../model/messages.js';
import { type Hole, isFileFault } from '../store/journal-player.js';
import { ReplayClock } from './replay-clock.js';
import { momentNotKept, ReplayFailure } from './replay-failure.js';
import type { TopicReplayParts } from './replay-parts.js';
import { type ReplayPlace, ReplayPlaces } from './replay-place.js';

/** A command, and the time up to which the newest file was complete when the command arrived. */
interface ReplayOrder {
  readonly command: ReplayCommand;
  readonly flushedMs: number;
}

/** The replay of one topic. Times are monotonic milliseconds. */
export class TopicReplay {
  readonly #parts: TopicReplayParts;
  readonly #places: ReplayPlaces;
  readonly #clock: ReplayClock;
  #place: ReplayPlace;
  /** The position to return to when a seek fails; null when no seek is running. */
  #left: ReplayPlace | null = null;
  /** Commands that were received during a seek; they are not answered yet. */
  #orders: ReplayOrder[] = [];
  #written: WrittenJournal = 'over';
  /** The number of times that the replay has reached the end of the written journal. */
  #ends = 0;
  #waitsUntilMs = 0;

  /** Throws a {@link ReplayFailure} for a moment that is not stored. */
  constructor(request: ReplayRequest, flushedMs: number, parts: TopicReplayParts) {
    const { topic, from, until, speed, id } = request;
    this.#parts = parts;
    this.#places = new ReplayPlaces({ ...parts, topic });
    this.#clock = new ReplayClock(speed);
    this.#place = this.#places.openMoment({ from, flushedMs, id }, until);
  }

  /** User accounts of its books. */
  get users(): number {
    return this.#place.users + (this.#left?.users ?? 0);
  }

  /** Whether the replay renders no frames until its reader sends a command. */
  get isStill(): boolean {
    return this.#place.phase === 'ended' || (this.#clock.isPaused && this.#place.hasBegun);
  }

  /** The time of the next step; infinity while the replay waits for its reader or the journal. */
  get dueMs(): number {
    const { phase, hasBegun } = this.#place;
    const isBusy = phase === 'playing' || phase === 'finishing';
    if (!isBusy || this.#parts.outbox.isFull) return Number.POSITIVE_INFINITY;
    const isPaced = phase === 'playing' && hasBegun;
    return isPaced ? Math.max(this.#waitsUntilMs, this.#clock.dueMs) : this.#waitsUntilMs;
  }

  /** Does the next step. Throws a {@link ReplayFailure} when it fails. */
  makeStep(nowMs: number): void {
    try {
      this.#readStep(nowMs);
    } catch (error) {
      this.#stayWith(error, nowMs);
    }
  }

  /** Sends a heartbeat after a period without output. */
  sendHeartbeat(nowMs: number): void {
    const { framer } = this.#left ?? this.#place;
    if (!this.#parts.outbox.isFull) framer.sendHeartbeat(nowMs);
  }

  /** Continues with all turns written by now. A reply to an earlier end is ignored. */
  finishJournal({
    end,
    written,
  }: {
    readonly end: number;
    readonly written: WrittenJournal;
  }): void {
    const place = this.#place;
    if (place.phase !== 'atEnd' || end !== this.#ends) return;
    this.#written = written;
    place.phase = this.#clock.isPaused && place.hasBegun ? 'playing' : 'finishing';
  }

  /** Queues a command, executed in order; `flushedMs` as in the constructor. */
  handleCommand(command: ReplayCommand, flushedMs: number, nowMs: number): void {
    this.#orders.push({ command, flushedMs });
    this.#handleOrders(nowMs);
  }

  /** Releases its memory. */
  close(): void {
    this.#place.player.release();
    this.#left?.player.release();
  }

  /** Executes the waiting commands; commands during a seek wait until it has ended. */
  #handleOrders(nowMs: number): void {
    while (this.#left === null) {
      const order = this.#orders.shift();
      if (order === undefined) return;
      if (order.command.kind === 'seek') this.#seekMoment(order.command, order.flushedMs);
      else this.#setPace(order.command, nowMs);
      const { phase } = this.#place;
      // A reader that has sent another command does not become live.
      if (phase === 'finishing' || phase === 'caughtUp') this.#place.phase = 'playing';
    }
  }

  #setPace(command: Exclude<ReplayCommand, { readonly kind: 'seek' }>, nowMs: number): void {
    const { outbox } = this.#parts;
    const clock = this.#clock;
    const { id } = command;
    if (command.kind === 'pause') {
      clock.pause(nowMs);
      outbox.sendEvent({ kind: 'paused', id, at: this.#place.player.moment });
    } else {
      clock.resume(command.speed ?? clock.speed, nowMs);
      if (this.#place.phase === 'ended') this.#place.phase = 'playing';
      outbox.sendEvent({ kind: 'resumed', id, speed: clock.speed });
    }
  }

  /** Moves to another moment; whether the moment is stored may show only on reading. */
  #seekMoment(
    { id, from, until, speed }: ReplayCommand & { readonly kind: 'seek' },
    flushedMs: number,
  ): void {
    try {
      const end = until === undefined ? this.#place.until : until;
      const place = this.#places.openMoment({ from, flushedMs, id, speed }, end);
      this.#left = this.#place;
      this.#place = place;
    } catch (error) {
      this.#refuseSeek(id, error);
    }
  }

  /** Handles a failed seek: the replay keeps its position. */
  #stayWith(error: unknown, nowMs: number): void {
    if (this.#left === null) throw error;
    const { start, player } = this.#place;
    this.#refuseSeek(start.id, error);
    player.release();
    this.#place = this.#left;
    this.#left = null;
    // The reply about the journal's end went to the abandoned position, so the replay asks again.
    if (this.#place.phase !== 'ended') this.#place.phase = 'playing';
    this.#handleOrders(nowMs);
  }

  #refuseSeek(id: string, error: unknown): void {
    if (!(error instanceof ReplayFailure)) throw error;
    this.#parts.outbox.sendEvent({ kind: 'seekRefused', id, refusal: error.refusal });
  }

  #readStep(nowMs: number): void {
    try {
      if (this.#place.hasBegun) this.#playOn(nowMs);
      else this.#seekOn(nowMs);
    } catch (error) {
      if (!isFileFault(error)) throw error;
      this.#passDamage(error, nowMs);
    }
  }

  /** Plays as fast as possible to the start, and on to the topic's next publication. */
  #seekOn(nowMs: number): void {
    const place = this.#place;
    const next = place.player.nextMoment();
    if (next !== null) place.lookAhead(next);
    if (next !== null && place.canBegin()) this.#beginFrames(nowMs);
    else if (place.start.from === null && place.isDone()) this.#endReplay('until');
    else this.#stepOn(nowMs);
  }

  #playOn(nowMs: number): void {
    if (this.#place.isDone()) this.#endReplay('until');
    else if (this.#stepOn(nowMs)) this.#expectNext(nowMs);
  }

  /** Plays the next step of the journal; returns false at its end. */
  #stepOn(nowMs: number): boolean {
    const { player, framer } = this.#place;
    const step = player.next();
    if (step.kind === 'moreBytes') {
      this.#passEnd(nowMs);
      return false;
    }
    if (step.kind === 'turn') framer.addTurn(step, nowMs);
    else if (framer.isNew) {
      this.#parts.onRestored();
      framer.noteCheckpoint();
    }
    return true;
  }

  #beginFrames(nowMs: number): void {
    const place = this.#place;
    const { start, framer } = place;
    framer.openTopic();
    if (this.#left !== null) this.#leavePlace(this.#left, nowMs);
    framer.sendSnapshot(start, nowMs);
    place.hasBegun = true;
    place.phase = 'playing';
    this.#clock.startAt(place.startMoment, nowMs);
    this.#expectNext(nowMs);
    this.#handleOrders(nowMs);
  }

  /** Completes a seek: leaves the previous position. */
  #leavePlace({ player }: ReplayPlace, nowMs: number): void {
    const { id, speed } = this.#place.start;
    player.release();
    this.#left = null;
    this.#parts.outbox.sendEvent({ kind: 'sought', id });
    if (speed !== undefined) this.#clock.setSpeed(speed, nowMs);
  }

  #expectNext(nowMs: number): void {
    const next = this.#place.player.nextMoment();
    if (next !== null) this.#clock.expectTurn(next, nowMs);
  }

  /** Continues after the last turn of a segment: with the next segment, or at the end. */
  #passEnd(nowMs: number): void {
    const place = this.#place;
    const { player } = place;
    const beyond = player.findBeyond(this.#parts.finder.findNext(player.segment));
    if (beyond.kind === 'more') return;
    if (!place.hasBegun && place.beginsBefore(beyond)) this.#beginFrames(nowMs);
    else if (beyond.kind === 'next') player.continueWith(beyond.segment);
    else if (beyond.kind === 'hole') this.#passHole(beyond);
    else if (place.phase === 'finishing') this.#endJournal(nowMs);
    else {
      place.phase = 'atEnd';
      this.#ends += 1;
      this.#parts.onEnd(this.#ends);
    }
  }

  /** All written turns were played. */
  #endJournal(nowMs: number): void {
    const place = this.#place;
    const { player, framer } = place;
    const becomesLive = place.until === null && this.#written === 'whole';
    if (this.#written === 'behind' || (becomesLive && !framer.isMarked)) {
      // Turns still wait to be written, or the live topic's next mark continues this replay.
      place.phase = 'playing';
      this.#waitsUntilMs = nowMs + REPLAY_MARK_WAIT_MS;
    } else if (!place.hasBegun && place.hasTopic) this.#beginFrames(nowMs);
    else if (becomesLive) {
      place.phase = 'caughtUp';
      const { epoch } = player.engine;
      this.#parts.outbox.sendEvent({ kind: 'caughtUp', epoch, seq: framer.seq });
    } else this.#endReplay('end');
  }

  #endReplay(reason: 'until' | 'end'): void {
    this.#place.phase = 'ended';
    const at = this.#place.player.moment;
    this.#parts.outbox.sendEvent({ kind: 'ended', at, reason });
  }

  /** Continues after a hole, with a snapshot. */
  #passHole({ segment, reason }: Hole): void {
    const { until, player } = this.#place;
    if (this.#place.isDoneBefore(segment)) this.#endReplay('until');
    else {
      this.#place = this.#places.openSegment(segment, until);
      const from = player.moment;
      const to = segment.first;
      this.#parts.outbox.sendEvent({ kind: 'hole', from, to, reason });
      player.release();
    }
  }

  /** Continues with the next segment, because the rest of this file is unreadable. */
  #passDamage(error: unknown, nowMs: number): void {
    const { start, isThere, hasBegun, hasTopic, player } = this.#place;
    if (!isThere && start.from !== null) {
      throw momentNotKept(this.#parts.finder, start.from, error);
    }
    if (!hasBegun && hasTopic && player.isRestored) this.#beginFrames(nowMs);
    else {
      const segment = this.#parts.finder.findNext(player.segment);
      if (segment === undefined) this.#endReplay('end');
      else this.#passHole({ kind: 'hole', segment, reason: 'damaged' });
    }
  }
}
