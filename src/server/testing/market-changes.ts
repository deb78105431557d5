import type { MarketChanges } from '../../contract/feed-engine.js';
import type { PublishMark } from '../../contract/publish-mark.js';
import { MarkedTurns } from '../../feed/model/marked-turns.js';
import { systemTimers } from '../../rpc/timers.js';

/** A turn that changed only these markets. */
export function changes(changed: Partial<MarketChanges>): MarketChanges {
  return { dirty: [], requoted: [], indicated: [], allChanged: false, ...changed };
}

/** Publishes turns with marks like the feed, and delayed classes when they are due. */
export class MarkedChanges {
  readonly #turns: MarkedTurns;
  #next = changes({});

  constructor(intervalMs: number, publish: (changes: MarketChanges, mark: PublishMark) => void) {
    this.#turns = new MarkedTurns({
      engine: { endTurn: () => ({ ...this.#next, problems: [], marketsChanged: false }) },
      timers: systemTimers,
      streamIntervalMs: intervalMs,
      onTurn: publish,
      onDue: () => this.publishTurn(changes({})),
    });
  }

  publishTurn(turn: MarketChanges): void {
    this.#next = turn;
    this.#turns.endTurn(0);
  }

  stop(): void {
    this.#turns.stop();
  }
}

/** A mark of all intervals for the changes of a turn. */
export function markAll(turn: MarketChanges): PublishMark {
  const markets = new Set([...turn.dirty, ...turn.requoted, ...turn.indicated]);
  return [...markets].map((market) => ({ market, classes: ALL_CLASSES }));
}

const ALL_CLASSES = 0xff;

/** Publishes all changes of a turn immediately. */
export function publishAll(
  server: { publishTurn(changes: MarketChanges, mark: PublishMark): void },
  turn: MarketChanges,
): void {
  server.publishTurn(turn, markAll(turn));
}
