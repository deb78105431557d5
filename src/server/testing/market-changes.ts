import type { MarketChanges } from '../../contract/feed-engine.js';
import type { EndedTurn, PublishMark } from '../../contract/publish-mark.js';
import { PublishMarks } from '../../feed/model/publish-marks.js';
import { systemTimers } from '../../rpc/timers.js';

/** A turn that changed only these markets. */
export function changes(changed: Partial<MarketChanges>): MarketChanges {
  return { dirty: [], requoted: [], indicated: [], allChanged: false, ...changed };
}

/** Publishes turns with marks like the feed, and delayed classes when they are due. */
export class MarkedChanges {
  readonly #marks: PublishMarks;
  readonly #publish: (changes: MarketChanges, mark: PublishMark) => void;

  constructor(
    streamIntervalMs: number,
    publish: (changes: MarketChanges, mark: PublishMark) => void,
  ) {
    this.#publish = publish;
    const onDue = (): void => this.publishTurn(changes({}));
    this.#marks = new PublishMarks({ timers: systemTimers, streamIntervalMs, onDue });
  }

  publishTurn(turn: MarketChanges): void {
    this.#publish(turn, this.#marks.takeMark(turn));
  }

  stop(): void {
    this.#marks.stop();
  }
}

/** A mark of all intervals for the changes of a turn. */
function markAll(turn: MarketChanges): PublishMark {
  const markets = new Set([...turn.dirty, ...turn.requoted, ...turn.indicated]);
  return [...markets].map((market) => ({ market, classes: ALL_CLASSES }));
}

const ALL_CLASSES = 0xff;

/** Publishes all changes of a turn immediately. */
export function publishAll(
  server: { publishTurn(turn: EndedTurn<MarketChanges>): void },
  turn: MarketChanges,
  mark = markAll(turn),
): void {
  server.publishTurn({ changes: turn, mark, receivedAtMs: systemTimers.nowMs() });
}
