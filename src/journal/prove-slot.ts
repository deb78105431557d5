/** Computes hashes of a journal's markets at a slot, for comparison with another service. */
import type { JournalMoment } from '../contract/journal-source.js';
import type { Engine } from '../engine/engine.js';
import { lostEndError } from '../engine/journal-reader.js';
import type { MarketHash, MarketHashParts, OrderHash } from '../engine/market-hashes.js';
import { LATE_SLOTS } from './model/limits.js';
import { JournalPlayer } from './store/journal-player.js';
import type { SegmentInfo } from './store/segment-info.js';

/** A market's part of a proof. */
interface MarketProof extends MarketHash {
  readonly market: string;
  readonly parts: MarketHashParts;
}

/** The hashes of all markets at the end of a slot. */
interface SlotProof {
  readonly slot: number;
  /** The last turn up to it. */
  readonly moment: JournalMoment;
  readonly epoch: string;
  /** By name. */
  readonly markets: readonly MarketProof[];
}

/** A slot, and the segment whose checkpoint precedes it. */
export interface ProvedSlot {
  readonly folder: string;
  readonly segment: SegmentInfo;
  readonly next?: SegmentInfo | undefined;
  /**
   * Whether the segment must have a later moment; when it has none, the end of its file is lost.
   */
  readonly isBeforeEnd?: boolean;
  readonly slot: number;
}

/**
 * Returns the hashes at a slot, which cover all chain writes up to it, also writes that the service
 * received during later slots. Throws an EngineError when the journal is damaged before or at the
 * slot.
 */
export function proveSlot(place: ProvedSlot): SlotProof {
  const { engine, moment } = bookOf(place);
  const hashes = engine.hashes.readAll();
  const markets = engine.markets().flatMap(({ id, symbol }) => {
    const hash = hashes[id];
    const parts = engine.hashes.readParts(id);
    return hash === undefined || parts === null ? [] : [{ market: symbol, ...hash, parts }];
  });
  markets.sort((left, right) => (left.market < right.market ? -1 : 1));
  return { slot: place.slot, moment, epoch: engine.epoch, markets };
}

/**
 * Returns the hash of every order of a market at a slot, by maker and id; null for an unknown
 * market. Throws like {@link proveSlot}.
 */
export function proveOrders(place: ProvedSlot, market: string): readonly OrderHash[] | null {
  const { engine } = bookOf(place);
  const found = engine.findMarket(market);
  return found === undefined ? null : engine.hashes.readOrders(found.id);
}

function bookOf({ folder, segment, next, isBeforeEnd = false, slot }: ProvedSlot): {
  readonly engine: Engine;
  readonly moment: JournalMoment;
} {
  const player = new JournalPlayer({ folder, segment });
  const { engine } = player;
  try {
    player.reader.takeSlotsTo(slot);
    if (player.at({ slotMax: slot }) === 'end' && isBeforeEnd) throw lostEndError(player.reader);
    const { slot: lastSlot, tsMs } = player.reader.position();
    // Later turns, also those of the next file, may contain updates of the slot.
    if (player.at({ slotMax: slot + LATE_SLOTS }) === 'end' && next !== undefined) {
      player.continueWith(next);
      player.reader.takeSlotsTo(slot);
      player.at({ slotMax: slot + LATE_SLOTS });
    }
    return { engine, moment: { slot: lastSlot, ts: tsMs } };
  } finally {
    player.close();
  }
}
