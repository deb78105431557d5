/**
 * Topics of the past on the main thread: hands what is asked for to one thread that plays them all, and holds what it
 * makes until the readers take it. Nothing here reads a file or makes a frame.
 */

import type { JournalStats } from '../contract/journal-source.js';
import type {
  Replay,
  ReplayCommand,
  ReplayItem,
  ReplayListener,
  ReplayRequest,
  ReplaySource,
} from '../contract/replay-source.js';
import type { Timer, Timers } from '../contract/timers.js';
import { loggedFailure, shownFailure } from '../rpc/error.js';
import type { Log } from '../rpc/log.js';
import { AS_OF_IDLE_MS, REPLAYS_CLOSING_MAX, REPLAYS_MAX } from './model/limits.js';
import type { FromReplays, ReplayItems, ReplaySetup, ToReplays } from './model/messages.js';
import { type FlushedJournal, RecentTurns } from './recent-turns.js';
import { ReplayThread } from './replay-thread.js';

/** The journal that is played. */
export interface PlayedJournal extends FlushedJournal {
  readStats(): Pick<JournalStats, 'newest' | 'state'>;
}

/** What topics are played with. */
export interface TopicReplaysOptions {
  readonly files: ReplaySetup;
  readonly journal: PlayedJournal;
  readonly log: Log;
  readonly timers: Timers;
  /** Replays at once; the limit of the service by default. */
  readonly replaysMax?: number;
}

/** The replays of one service. */
export class TopicReplays implements ReplaySource {
  readonly #options: TopicReplaysOptions;
  readonly #timers: Timers;
  readonly #recent: RecentTurns;
  /** Until the thread has closed them. */
  readonly #replays = new Map<number, RunningReplay>();
  /** Those of them that are closed here. */
  #closing = 0;
  #lastId = 0;
  #thread: ReplayThread | null = null;
  #idle: Timer | null = null;
  #isStopped = false;

  constructor(options: TopicReplaysOptions) {
    this.#options = options;
    this.#timers = options.timers;
    this.#recent = new RecentTurns(options.journal, options.timers);
  }

  openReplay(request: ReplayRequest, listener: ReplayListener): Replay | string {
    const refusal = this.#findRefusal();
    if (refusal !== null) return refusal;
    this.#idle?.cancel();
    this.#idle = null;
    this.#thread ??= this.#startThread();
    const thread = this.#thread;
    this.#lastId += 1;
    const id = this.#lastId;
    const replay = new RunningReplay({
      ...{ id, listener, recent: this.#recent },
      isWriting: () => this.#options.journal.readStats().state === 'writing',
      send: (message) => thread.sendMessage(message),
      onClosing: () => {
        this.#closing += 1;
      },
      onClosed: () => this.#removeReplay(id),
      log: this.#options.log,
    });
    this.#replays.set(id, replay);
    replay.openAt(request);
    return replay;
  }

  /** Ends all of them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#idle?.cancel();
    const thread = this.#thread;
    this.#thread = null;
    await thread?.end();
  }

  /** Why there is no room for another one; null when there is. */
  #findRefusal(): string | null {
    const { replaysMax = REPLAYS_MAX } = this.#options;
    if (this.#isStopped) return 'the service is stopping';
    if (this.#replays.size - this.#closing >= replaysMax) {
      return `${replaysMax} replays run, which is the limit`;
    }
    if (this.#closing < REPLAYS_CLOSING_MAX) return null;
    return `${REPLAYS_CLOSING_MAX} replays are being closed, which is the limit`;
  }

  #startThread(): ReplayThread {
    const thread: ReplayThread = new ReplayThread(this.#options.files, {
      onMessage: (message) => this.#replays.get(message.id)?.receiveMessage(message),
      onEnd: (cause) => {
        if (this.#thread === thread) this.#handleEnd(cause);
      },
    });
    return thread;
  }

  #removeReplay(id: number): void {
    if (!this.#replays.delete(id)) return;
    this.#closing -= 1;
    if (this.#replays.size > 0 || this.#isStopped) return;
    this.#idle = this.#timers.after(AS_OF_IDLE_MS, () => {
      const thread = this.#thread;
      this.#thread = null;
      void thread?.end();
    });
  }

  #handleEnd(cause: Error): void {
    this.#thread = null;
    this.#options.log.warn(
      { reason: loggedFailure(cause) },
      'the thread that plays the past ended',
    );
    for (const replay of [...this.#replays.values()]) replay.endWithThread(shownFailure(cause));
  }
}

interface RunningReplayParts {
  readonly id: number;
  readonly listener: ReplayListener;
  readonly recent: RecentTurns;
  /** Whether the journal writes, though perhaps not at once. */
  readonly isWriting: () => boolean;
  readonly send: (message: ToReplays) => void;
  /** Its reader has gone. */
  readonly onClosing: () => void;
  /** The thread has nothing of it any more, nor messages about it. */
  readonly onClosed: () => void;
  readonly log: Log;
}

/** One replay and what its reader has not taken. */
class RunningReplay implements Replay {
  readonly #parts: RunningReplayParts;
  /** In their order; as much as the thread makes before it waits. */
  #items: ReplayItem[] = [];
  #taken = 0;
  /** Bytes that were taken, and which the thread does not know of. */
  #takenBytes = 0;
  #commands = 0;
  /** The number of the end to which it came last. */
  #end = 0;
  /** What is sent to the thread waits for what was sent before. */
  #sent: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** The thread has its request. */
  #isOpened = false;
  #isThreadGone = false;

  constructor(parts: RunningReplayParts) {
    this.#parts = parts;
  }

  get next(): ReplayItem | undefined {
    return this.#items[this.#taken];
  }

  get commandsWaiting(): number {
    return this.#commands;
  }

  openAt(request: ReplayRequest): void {
    const { id, recent } = this.#parts;
    this.#sendLater(async () => {
      const flushedMs = await recent.flushFor(request.from);
      return { id, kind: 'open', request, flushedMs };
    });
  }

  takeItem(): void {
    const { next } = this;
    if (next === undefined) return;
    this.#taken += 1;
    if (next instanceof Uint8Array) this.#takenBytes += next.length;
    else if (isAnswer(next.kind)) this.#commands -= 1;
    if (this.#taken < this.#items.length) return;
    this.#items = [];
    this.#taken = 0;
    const { id, send } = this.#parts;
    if (this.#takenBytes > 0 && !this.#isClosed) {
      send({ id, kind: 'taken', bytes: this.#takenBytes });
    }
    this.#takenBytes = 0;
  }

  sendCommand(command: ReplayCommand): void {
    const { id, recent } = this.#parts;
    this.#commands += 1;
    this.#sendLater(async () => {
      const flushedMs = command.kind === 'seek' ? await recent.flushFor(command.from) : 0;
      return { id, kind: 'command', command, flushedMs };
    });
  }

  finish(): void {
    const { id, recent, isWriting } = this.#parts;
    const end = this.#end;
    this.#sendLater(async () => {
      const isWhole = (await recent.flushAll()) > 0;
      const written = isWhole ? 'whole' : isWriting() ? 'behind' : 'over';
      return { id, kind: 'finish', end, written };
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#items = [];
    this.#taken = 0;
    const { id, send, onClosing, onClosed } = this.#parts;
    onClosing();
    // Behind what opens it.
    this.#sent = this.#sent.then(() => {
      if (this.#isOpened && !this.#isThreadGone) send({ id, kind: 'close' });
      else onClosed();
    });
  }

  /** The thread is gone. */
  endWithThread(message: string): void {
    this.#isThreadGone = true;
    if (this.#isClosed) this.#parts.onClosed();
    else this.failWith(message);
  }

  /** It cannot go on, which was logged. */
  failWith(message: string): void {
    this.#addItem({ kind: 'failed', refusal: { kind: 'fault', message } });
  }

  receiveMessage(message: FromReplays): void {
    if (message.kind === 'closed') this.#parts.onClosed();
    else if (this.#isClosed) return;
    else if (message.kind === 'atEnd') {
      this.#end = message.end;
      this.#parts.listener.onEnd();
    } else this.#addItems(message.items);
  }

  #addItems({ bytes, ends, event }: ReplayItems): void {
    let start = 0;
    for (const end of ends) {
      this.#items.push(bytes.subarray(start, end));
      start = end;
    }
    if (event !== null) this.#items.push(event);
    this.#parts.listener.onItem();
  }

  #addItem(item: ReplayItem): void {
    this.#items.push(item);
    this.#parts.listener.onItem();
  }

  #sendLater(make: () => Promise<ToReplays>): void {
    this.#sent = this.#sent
      .then(make)
      .then((message) => {
        if (this.#isClosed) return;
        this.#isOpened = true;
        this.#parts.send(message);
      })
      .catch((error: unknown) => {
        this.#parts.log.warn({ reason: loggedFailure(error) }, 'a replay of the past failed');
        this.failWith(shownFailure(error));
      });
  }
}

/** Whether an event is the answer to a command. */
function isAnswer(kind: string): boolean {
  return kind === 'paused' || kind === 'resumed' || kind === 'sought' || kind === 'seekRefused';
}
