/** What the markets of a journal held at a slot, as hashes that another service can be compared with. */
import type { JournalMoment } from '../contract/journal-source.js';
import type { Engine } from '../engine/engine.js';
import { lostEndError } from '../engine/journal-reader.js';
import type { MarketHash, MarketHashParts, OrderHash } from '../engine/market-hashes.js';
import { LATE_SLOTS } from './model/limits.js';
import type { SegmentInfo } from './store/segment-info.js';
import { type PlayedSegment, SegmentPlayer } from './store/segment-player.js';

/** A market of a proof. */
export interface MarketProof extends MarketHash {
  readonly market: string;
  readonly parts: MarketHashParts;
}

/** What all markets held at the end of a slot. */
export interface SlotProof {
  /** The slot that was asked for. */
  readonly slot: number;
  /** The last turn up to it. */
  readonly moment: JournalMoment;
  readonly epoch: string;
  /** By name. */
  readonly markets: readonly MarketProof[];
}

/** The segment in which the slot is, by its checkpoint. */
export interface ProvedSlot {
  readonly folder: string;
  readonly segment: SegmentInfo;
  /** The one that goes on with it. */
  readonly next?: SegmentInfo | undefined;
  /** Whether the segment has a later moment, so that the end of its file is lost where it does not. */
  readonly isBeforeEnd?: boolean;
  readonly slot: number;
}

/**
 * The proof of a slot: of all that the chain wrote up to it, also where a service received it in the slots behind it. Throws an
 * EngineError where the journal is damaged before it, or there.
 */
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

function bookOf({ folder, segment, next, isBeforeEnd = false, slot }: ProvedSlot): {
  readonly engine: Engine;
  readonly moment: JournalMoment;
} {
  const player = new SegmentPlayer({ folder, segment });
  const { engine, reader } = player;
  try {
    reader.takeSlotsTo(slot);
    if (playTo(player, slot) === 'moreBytes' && isBeforeEnd) throw lostEndError(reader);
    const { slot: lastSlot, tsMs } = reader.position();
    const end = playTo(player, slot + LATE_SLOTS);
    if (end === 'moreBytes' && next !== undefined)
      playLate({ folder, segment: next, engine }, slot);
    return { engine, moment: { slot: lastSlot, ts: tsMs } };
  } finally {
    player.close();
  }
}

/** What the next file tells of a slot. */
function playLate(played: PlayedSegment, slot: number): void {
  const player = new SegmentPlayer(played);
  try {
    player.reader.takeSlotsTo(slot);
    playTo(player, slot + LATE_SLOTS);
  } finally {
    player.close();
  }
}

/** Plays turns up to a slot, or to the end of the file. */
function playTo(player: SegmentPlayer, slotMax: number): 'moreBytes' | 'reached' {
  for (;;) {
    const { kind } = player.step({ slotMax });
    if (kind === 'moreBytes' || kind === 'reached') return kind;
  }
}
