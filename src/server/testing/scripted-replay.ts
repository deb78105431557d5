/** A replay without a thread, controlled by the test. */
import type {
  Replay,
  ReplayCommand,
  ReplayItem,
  ReplayListener,
} from '../../contract/replay-source.js';

/** The main thread's side of a replay; the test supplies its items. */
export class ScriptedReplay implements Replay {
  readonly items: ReplayItem[] = [];
  /** The messages to the thread, in order. */
  readonly sent: string[] = [];
  commandsWaiting = 0;

  constructor(readonly listener: ReplayListener) {}

  get next(): ReplayItem | undefined {
    return this.items[0];
  }

  takeItem(): void {
    const item = this.items.shift();
    if (item === undefined || item instanceof Uint8Array) return;
    if (['paused', 'resumed', 'sought', 'seekRefused'].includes(item.kind))
      this.commandsWaiting -= 1;
  }

  sendCommand({ kind }: ReplayCommand): void {
    this.commandsWaiting += 1;
    this.sent.push(kind);
  }

  finish(): void {
    this.sent.push('finish');
  }

  close(): void {
    this.sent.push('close');
  }

  add(...items: readonly ReplayItem[]): void {
    this.items.push(...items);
    this.listener.onItem();
  }
}
