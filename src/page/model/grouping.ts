/** Groups levels like the service: bids round down to the group price, asks up. */
import type { Base, Level, Price } from '@slotbook/client';

/** The service's largest grouping, in ticks. */
const GROUPING_MAX = 1_000_000;
/** A group is at most this part of the price. */
const PRICE_PARTS_MIN = 50n;

/**
 * Returns the groupings of a ladder in ticks: the tick itself, the steps 1, 2 and 5 of each power
 * of ten up to a fiftieth of the price that are whole ticks, and the chosen one. Prices are raw.
 */
export function groupingsOf(tick: bigint, price: bigint | null, chosen: number): readonly number[] {
  const groupings = new Set([1, chosen]);
  const largest = (price ?? 0n) / PRICE_PARTS_MIN;
  for (let power = 1n; power <= largest; power *= 10n) {
    for (const step of [power, 2n * power, 5n * power]) {
      if (step > largest || step % tick !== 0n) continue;
      if (step / tick <= GROUPING_MAX) groupings.add(Number(step / tick));
    }
  }
  return [...groupings].sort((one, other) => one - other);
}

/** The levels to group, and the group size. */
interface Grouping {
  readonly side: 'bid' | 'ask';
  /** The group size in raw price units, above 0. */
  readonly groupSize: bigint;
  /**
   * The maximum number of levels: when it is reached, the last group may be incomplete and is
   * dropped.
   */
  readonly levelsMax: number;
}

/** Groups levels that come best first. */
export function groupLevels(
  levels: readonly Level[],
  { side, groupSize, levelsMax }: Grouping,
): readonly Level[] {
  const groups: Level[] = [];
  for (const level of levels) {
    const price = gridPrice(level.price, { side, groupSize });
    const last = groups.at(-1);
    if (last?.price === price) groups[groups.length - 1] = mergeLevels(last, level);
    else groups.push({ ...level, price: price as Price });
  }
  return levels.length < levelsMax ? groups : groups.slice(0, -1);
}

/** Returns the price of the group that contains a price: bids round down and asks up. */
export function gridPrice(
  price: bigint,
  { side, groupSize }: Pick<Grouping, 'side' | 'groupSize'>,
): bigint {
  const rest = price % groupSize;
  return side === 'ask' && rest > 0n ? price - rest + groupSize : price - rest;
}

function mergeLevels(group: Level, level: Level): Level {
  const sources: Record<string, Base> = { ...group.sources };
  for (const [source, size] of Object.entries(level.sources)) {
    if (size !== undefined) sources[source] = ((sources[source] ?? 0n) + size) as Base;
  }
  return { price: group.price, size: (group.size + level.size) as Base, sources };
}
