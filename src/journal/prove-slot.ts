/** What the markets of a journal held at a slot, as hashes that another service can be compared with. */
import type { JournalMoment } from '../contract/journal-source.js';
import type { Engine } from '../engine/engine.js';
import { lostEndError } from '../engine/journal-reader.js';
import type { MarketHash, MarketHashParts, OrderHash } from '../engine/market-hashes.js';
import type { SegmentInfo } from './store/segment-info.js';
import { SegmentPlayer } from './store/segment-player.js';

/** A market of a proof. */
export interface MarketProof extends MarketHash {
  readonly market: string;
  readonly parts: MarketHashParts;
}

/** What all markets held after the last turn up to a slot. */
export interface SlotProof {
  /** The slot that was asked for. */
  readonly slot: number;
  /** The turn after which it is. */
  readonly moment: JournalMoment;
  readonly epoch: string;
  /** By name. */
  readonly markets: readonly MarketProof[];
}

/** The segment in which the slot is, by its checkpoint. */
export interface ProvedSlot {
  readonly folder: string;
  readonly segment: SegmentInfo;
  /** Whether the segment has a later moment, so that the end of its file is lost where it does not. */
  readonly isBeforeEnd?: boolean;
  readonly slot: number;
}

/** The proof of a slot. Throws an EngineError where the journal is damaged before it. */
export function proveSlot(place: ProvedSlot): SlotProof {
  const { engine, moment } = bookOf(place);
  const hashes = engine.hashes.readAll();
  const markets = engine.markets().flatMap(({ id, symbol }) => {
    const [hash, parts] = [hashes[id], engine.hashes.readParts(id)];
    return hash === undefined || parts === null ? [] : [{ market: symbol, ...hash, parts }];
  });
  markets.sort((left, right) => (left.market < right.market ? -1 : 1));
  return { slot: place.slot, moment, epoch: engine.epoch, markets };
}

/** The hash of every order of a market at a slot, by maker and id; null for an unknown market. Throws as {@link proveSlot}. */
export function proveOrders(place: ProvedSlot, market: string): readonly OrderHash[] | null {
  const { engine } = bookOf(place);
  const found = engine.findMarket(market);
  return found === undefined ? null : engine.hashes.readOrders(found.id);
}

function bookOf({ folder, segment, isBeforeEnd = false, slot }: ProvedSlot): {
  readonly engine: Engine;
  readonly moment: JournalMoment;
} {
  const player = new SegmentPlayer({ folder, segment });
  try {
    for (;;) {
      const { kind } = player.step({ slotMax: slot });
      if (kind === 'moreBytes' && isBeforeEnd) throw lostEndError(player.reader);
      if (kind === 'moreBytes' || kind === 'reached') break;
    }
  } finally {
    player.close();
  }
  const { slot: lastSlot, tsMs } = player.reader.position();
  return { engine: player.engine, moment: { slot: lastSlot, ts: tsMs } };
}
