/**
 * The positions of a ladder's rows: asks above the middle, bids below, the best of each side next
 * to the middle.
 */

/** Minimum height of a level in CSS pixels: a comfortable pointer target. */
const ROW_HEIGHT_MIN = 24;
/** Height of the middle row, with the price and the spread. */
export const MIDDLE_HEIGHT = 46;

/** A ladder of some height. */
export interface LadderLayout {
  readonly rowsPerSide: number;
  readonly rowHeight: number;
  /** Upper edge of the middle. */
  readonly middleTop: number;
}

/** One row of a side; 0 is the best row. */
export interface LadderPlace {
  readonly side: 'bid' | 'ask';
  readonly index: number;
}

/** Returns the layout for a height in CSS pixels. */
export function layoutOf(height: number): LadderLayout {
  const sideHeight = (height - MIDDLE_HEIGHT) / 2;
  const rowsPerSide = Math.max(1, Math.floor(sideHeight / ROW_HEIGHT_MIN));
  const rowHeight = Math.max(ROW_HEIGHT_MIN, Math.floor(sideHeight / rowsPerSide));
  return { rowsPerSide, rowHeight, middleTop: rowsPerSide * rowHeight };
}

/** Upper edge of a row. */
export function rowTop(
  { middleTop, rowHeight }: LadderLayout,
  side: 'bid' | 'ask',
  index: number,
): number {
  if (side === 'ask') return middleTop - (index + 1) * rowHeight;
  return middleTop + MIDDLE_HEIGHT + index * rowHeight;
}

/** Returns the row at a height; undefined in the middle and outside. */
export function placeAt(layout: LadderLayout, y: number): LadderPlace | undefined {
  const { middleTop, rowsPerSide, rowHeight } = layout;
  const place: LadderPlace =
    y < middleTop
      ? { side: 'ask', index: Math.ceil((middleTop - y) / rowHeight) - 1 }
      : { side: 'bid', index: Math.floor((y - middleTop - MIDDLE_HEIGHT) / rowHeight) };
  return place.index >= 0 && place.index < rowsPerSide ? place : undefined;
}

/** Returns the next row up or down, across the middle, clamped to the existing rows. */
export function nextPlace(
  place: LadderPlace,
  direction: 'up' | 'down',
  counts: { readonly bids: number; readonly asks: number },
): LadderPlace {
  const position = place.side === 'bid' ? place.index : -place.index - 1;
  const moved = position + (direction === 'down' ? 1 : -1);
  const held = Math.max(-counts.asks, Math.min(counts.bids - 1, moved));
  return held >= 0 ? { side: 'bid', index: held } : { side: 'ask', index: -held - 1 };
}
