/**
 * Past topics on the main thread: forwards requests to the one replay thread, and buffers its
 * output until readers take it. This file reads no journal and renders no frame.
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
import type { ThreadLink } from '../rpc/threads.js';
import { AS_OF_IDLE_MS, REPLAYS_CLOSING_MAX, REPLAYS_MAX } from './model/limits.js';
import type { FromReplays, JournalFiles, ReplayItems, ToReplays } from './model/messages.js';
import { type FlushedJournal, RecentTurns } from './recent-turns.js';
import { startThread } from './worker-link.js';

/** The journal to replay. */
interface PlayedJournal extends FlushedJournal {
  readStats(): Pick<JournalStats, 'newest' | 'state'>;
}

/** The dependencies of replays. */
interface TopicReplaysOptions {
  readonly files: JournalFiles;
  readonly journal: PlayedJournal;
  readonly log: Log;
  readonly timers: Timers;
  /** Maximum replays; by default the service's limit. */
  readonly replaysMax?: number;
}

/** The replays of one service. */
export class TopicReplays implements ReplaySource {
  readonly #options: TopicReplaysOptions;
  readonly #recent: RecentTurns;
  /** Until the thread has closed them. */
  readonly #replays = new Map<number, RunningReplay>();
  /** Those that are closed on this side. */
  #closing = 0;
  #lastId = 0;
  #thread: ThreadLink<ToReplays> | null = null;
  #idle: Timer | null = null;
  #isStopped = false;

  constructor(options: TopicReplaysOptions) {
    this.#options = options;
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
      id,
      listener,
      recent: this.#recent,
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

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#idle?.cancel();
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  /** Returns the reason why another replay is refused; null when there is capacity. */
  #findRefusal(): string | null {
    const { replaysMax = REPLAYS_MAX } = this.#options;
    if (this.#isStopped) return 'the service is stopping';
    if (this.#replays.size - this.#closing >= replaysMax) {
      return `${replaysMax} replays run, which is the limit`;
    }
    if (this.#closing < REPLAYS_CLOSING_MAX) return null;
    return `${REPLAYS_CLOSING_MAX} replays are being closed, which is the limit`;
  }

  #startThread(): ThreadLink<ToReplays> {
    const setup = { ...this.#options.files, unwanted: new SharedArrayBuffer(4) };
    const thread: ThreadLink<ToReplays> = startThread('replays', setup, {
      onMessage: (message) => {
        if (message.kind !== 'moment') this.#replays.get(message.id)?.receiveMessage(message);
      },
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
    this.#idle = this.#options.timers.after(AS_OF_IDLE_MS, () => {
      const thread = this.#thread;
      this.#thread = null;
      void thread?.terminate();
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
  /** Returns whether the journal is writing, possibly with a delay. */
  readonly isWriting: () => boolean;
  readonly send: (message: ToReplays) => void;
  readonly onClosing: () => void;
  /** Called when the thread has closed the replay, and no message about it is pending. */
  readonly onClosed: () => void;
  readonly log: Log;
}

/** One replay and its untaken output. */
class RunningReplay implements Replay {
  readonly #parts: RunningReplayParts;
  /** In order; bounded by the thread's window. */
  #items: ReplayItem[] = [];
  #taken = 0;
  /** Bytes that the reader has taken and the thread does not know of yet. */
  #takenBytes = 0;
  #commands = 0;
  /** The number of the last end of the journal that the replay has reached. */
  #end = 0;
  /** Resolves when earlier messages were sent, because messages to the thread are sent in order. */
  #sent: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Whether the thread has its request. */
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
    // After the message that opens it.
    this.#sent = this.#sent.then(() => {
      if (this.#isOpened && !this.#isThreadGone) send({ id, kind: 'close' });
      else onClosed();
    });
  }

  endWithThread(message: string): void {
    this.#isThreadGone = true;
    if (this.#isClosed) this.#parts.onClosed();
    else this.failWith(message);
  }

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

/** Whether an event answers a command. */
function isAnswer(kind: string): boolean {
  return kind === 'paused' || kind === 'resumed' || kind === 'sought' || kind === 'seekRefused';
}
