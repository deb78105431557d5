/** Draws a ladder: price, size and total of each level over bars by source. */
import { type Ladder, type LadderRow, SOURCES } from '../model/ladder.js';
import type { Size } from './canvas.js';
import { type LadderLayout, type LadderPlace, MIDDLE_HEIGHT, rowTop } from './ladder-layout.js';
import { type Palette, sourceColor } from './palette.js';

/** What is drawn. */
export interface LadderScene {
  readonly size: Size;
  readonly layout: LadderLayout;
  readonly palette: Palette;
  readonly ladder: Ladder;
  readonly formatPrice: (price: bigint) => string;
  readonly formatSize: (size: bigint) => string;
  /** In the middle: the price, and the spread in words. */
  readonly middle: { readonly price: string; readonly spread: string };
  readonly hovered: LadderPlace | undefined;
  readonly selected: { readonly side: 'bid' | 'ask'; readonly price: bigint } | undefined;
}

/** Space at both edges. */
const EDGE = 12;
/** Where sizes end, as a part of the width. */
const SIZE_END = 0.64;
const BAR_ALPHA = 0.27;
const TOTAL_ALPHA = 0.07;
/** Totals are read after sizes. */
const TOTAL_TEXT_ALPHA = 0.72;

type Context = CanvasRenderingContext2D;

/** Draws all of it. */
export function drawLadder(context: Context, scene: LadderScene): void {
  const { palette, ladder } = scene;
  context.textBaseline = 'middle';
  context.font = `12px ${palette.font}`;
  ladder.asks.forEach((row, index) => {
    drawRow(context, scene, row, { side: 'ask', index });
  });
  ladder.bids.forEach((row, index) => {
    drawRow(context, scene, row, { side: 'bid', index });
  });
  drawMiddle(context, scene);
}

function drawRow(context: Context, scene: LadderScene, row: LadderRow, place: LadderPlace): void {
  const { layout, size, palette } = scene;
  if (place.index >= layout.rowsPerSide) return;
  const top = rowTop(layout, place);
  drawBars(context, scene, row, { top, side: place.side });
  drawMarks(context, scene, row, { top, place });
  const middle = top + layout.rowHeight / 2 + 0.5;
  context.textAlign = 'left';
  context.fillStyle = palette[place.side];
  context.fillText(scene.formatPrice(row.price), EDGE, middle);
  context.textAlign = 'right';
  context.fillStyle = palette.text;
  context.fillText(scene.formatSize(row.size), size.width * SIZE_END, middle);
  context.globalAlpha = TOTAL_TEXT_ALPHA;
  context.fillText(scene.formatSize(row.total), size.width - EDGE, middle);
  context.globalAlpha = 1;
}

/** The total behind, the size before it, stacked by source; both from the right edge. */
function drawBars(context: Context, scene: LadderScene, row: LadderRow, place: BarPlace): void {
  const { ladder, palette } = scene;
  const { top, side } = place;
  const { rowHeight } = scene.layout;
  const total = { top, height: rowHeight, right: scene.size.width };
  const size = { ...total, top: top + 2, height: rowHeight - 4 };
  fillBar(context, scene, total, {
    ...{ color: palette[side], alpha: TOTAL_ALPHA },
    part: Number(row.total) / Number(ladder.totalMax),
  });
  const partOf = (amount: bigint): number => Number(amount) / Number(ladder.sizeMax);
  // What is behind the size would give it another colour.
  fillBar(context, scene, size, { color: palette.panel, alpha: 1, part: partOf(row.size) });
  for (const [source] of SOURCES) {
    const part = partOf(row.bySource[source]);
    const color = sourceColor(palette, source, side);
    if (part > 0) size.right = fillBar(context, scene, size, { color, alpha: BAR_ALPHA, part });
  }
}

interface BarPlace {
  readonly top: number;
  readonly side: 'bid' | 'ask';
}

/** Fills a part of the width to the left of `right`. Returns the left edge. */
function fillBar(
  context: Context,
  { size: { width } }: LadderScene,
  { top, height, right }: { readonly top: number; readonly height: number; readonly right: number },
  { color, alpha, part }: { readonly color: string; readonly alpha: number; readonly part: number },
): number {
  context.globalAlpha = alpha;
  context.fillStyle = color;
  context.fillRect(right - part * width, top, part * width, height);
  context.globalAlpha = 1;
  return right - part * width;
}

function drawMarks(
  context: Context,
  { palette, size: { width }, layout: { rowHeight }, hovered, selected }: LadderScene,
  row: LadderRow,
  { top, place }: { readonly top: number; readonly place: LadderPlace },
): void {
  if (hovered?.side === place.side && hovered.index === place.index) {
    context.globalAlpha = 0.08;
    context.fillStyle = palette.text;
    context.fillRect(0, top, width, rowHeight);
    context.globalAlpha = 1;
  }
  if (selected?.side !== place.side || selected.price !== row.price) return;
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5;
  context.strokeRect(1, top + 1, width - 2, rowHeight - 2);
}

function drawMiddle(context: Context, { size, layout, palette, middle }: LadderScene): void {
  const { middleTop } = layout;
  const line = middleTop + MIDDLE_HEIGHT / 2 + 0.5;
  context.fillStyle = palette.line;
  context.fillRect(0, middleTop, size.width, 1);
  context.fillRect(0, middleTop + MIDDLE_HEIGHT - 1, size.width, 1);
  context.textAlign = 'left';
  context.fillStyle = palette.text;
  context.font = `600 17px ${palette.font}`;
  context.fillText(middle.price, EDGE, line);
  context.textAlign = 'right';
  context.fillStyle = palette.muted;
  context.font = `11px ${palette.font}`;
  context.fillText(middle.spread, size.width - EDGE, line);
}
