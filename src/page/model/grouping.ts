/** Groups levels like the service: bids round down to the group price, asks up. */
import type { Base, Level, Price } from '@slotbook/client';

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

function gridPrice(price: bigint, { side, groupSize }: Pick<Grouping, 'side' | 'groupSize'>) {
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
