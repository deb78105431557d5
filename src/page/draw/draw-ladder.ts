/** Draws a ladder: price, size and total of each level over bars by source. */
import type { OwnLevels } from '../model/account-rows.js';
import { type Ladder, type LadderRow, type LevelName, rowIndex, SOURCES } from '../model/ladder.js';
import type { Size } from './canvas.js';
import type { DigitPen } from './draw-digits.js';
import { type LadderLayout, MIDDLE_HEIGHT, rowTop } from './ladder-layout.js';
import { type Palette, sourceColor } from './palette.js';

/** The inputs of the drawing. */
interface LadderScene {
  readonly size: Size;
  readonly layout: LadderLayout;
  readonly palette: Palette;
  /** Uses the palette's font. */
  readonly pen: DigitPen;
  readonly ladder: Ladder;
  readonly formatPrice: (price: bigint) => string;
  /** The texts of a row's size and total. */
  readonly sizeText: (row: LadderRow) => string;
  readonly totalText: (row: LadderRow) => string;
  readonly middle: { readonly price: string; readonly spread: string };
  /** The best prices of the market; a level beyond the other side's is crossed. */
  readonly best: { readonly bid: bigint | undefined; readonly ask: bigint | undefined };
  /** The levels in which the reader's own orders stand. */
  readonly own: OwnLevels | undefined;
  readonly hovered: LevelName | undefined;
  readonly selected: LevelName | undefined;
}

/** Margin at both edges. */
const EDGE = 12;
/** The right edge of the sizes, as a fraction of the width. */
const SIZE_END = 0.64;
const BAR_ALPHA = 0.27;
const TOTAL_ALPHA = 0.07;
/** Totals are less prominent than sizes. */
const TOTAL_TEXT_ALPHA = 0.72;
/** Width of the mark of a crossed level, and of a bar that is longer than its row. */
const MARK_WIDTH = 4;
/** The mark of the reader's own levels. */
const OWN_LEFT = 5;
const OWN_SIZE = 5;

type Context = CanvasRenderingContext2D;

interface SideScene extends LadderScene {
  readonly side: 'bid' | 'ask';
  readonly rows: readonly LadderRow[];
}

/**
 * Draws the whole ladder, grouped by colour, because a canvas changes its colour more slowly than
 * it fills.
 */
export function drawLadder(context: Context, scene: LadderScene): void {
  const { palette, ladder } = scene;
  context.textBaseline = 'middle';
  context.font = `12px ${palette.font}`;
  for (const side of ['ask', 'bid'] as const) {
    const sideScene = { ...scene, side, rows: ladder[`${side}s`] };
    drawTotalBars(context, sideScene);
    drawSizeBars(context, sideScene);
    markCut(context, sideScene);
    drawMarks(context, sideScene);
    drawTexts(context, sideScene);
  }
  drawMiddle(context, scene);
}

/** Draws the bars of the totals in the background, from the right edge. */
function drawTotalBars(context: Context, { rows, side, ...scene }: SideScene): void {
  const { ladder, layout, palette, size } = scene;
  const scale = size.width / Number(ladder.totalMax);
  context.globalAlpha = TOTAL_ALPHA;
  context.fillStyle = palette[side];
  for (let index = 0; index < rows.length; index += 1) {
    const width = Number(rowOf(rows, index).total) * scale;
    context.fillRect(size.width - width, rowTop(layout, side, index), width, layout.rowHeight);
  }
  context.globalAlpha = 1;
}

/** Draws the bars of the sizes in the foreground, stacked by source from the right edge. */
function drawSizeBars(context: Context, { rows, side, ...scene }: SideScene): void {
  const { ladder, layout, palette, size } = scene;
  const scale = size.width / Number(ladder.sizeMax);
  const fill = (index: number, right: number, width: number): void =>
    context.fillRect(right - width, rowTop(layout, side, index) + 2, width, layout.rowHeight - 4);
  // Clears the background of the bar, which would tint its colour.
  context.fillStyle = palette.panel;
  for (let index = 0; index < rows.length; index += 1) {
    fill(index, size.width, Math.min(size.width, Number(rowOf(rows, index).size) * scale));
  }
  const rights = new Float64Array(rows.length).fill(size.width);
  context.globalAlpha = BAR_ALPHA;
  for (const [source] of SOURCES) {
    context.fillStyle = sourceColor(palette, source, side);
    for (let index = 0; index < rows.length; index += 1) {
      const part = rowOf(rows, index).bySource[source];
      if (part <= 0n) continue;
      const right = rights[index] ?? 0;
      const width = Math.min(right, Number(part) * scale);
      fill(index, right, width);
      rights[index] = right - width;
    }
  }
  context.globalAlpha = 1;
}

/** Marks the cut ends of the bars of the AMM that are longer than their row. */
function markCut(context: Context, { rows, side, ladder, layout, palette }: SideScene): void {
  context.fillStyle = palette.amm;
  for (let index = 0; index < rows.length; index += 1) {
    if (rowOf(rows, index).size <= ladder.sizeMax) continue;
    context.fillRect(0, rowTop(layout, side, index) + 2, MARK_WIDTH / 2, layout.rowHeight - 4);
  }
}

/** Lists are iterated by index: `entries` would produce most of the garbage of drawing. */
function rowOf(rows: readonly LadderRow[], index: number): LadderRow {
  return rows[index] as LadderRow;
}

function drawMarks(context: Context, scene: SideScene): void {
  const { palette, size, layout, hovered, selected, side, ladder } = scene;
  markCrossed(context, scene);
  markOwn(context, scene);
  const hoveredRow = hovered?.side === side ? rowIndex(ladder, hovered) : -1;
  if (hoveredRow >= 0) {
    context.globalAlpha = 0.08;
    context.fillStyle = palette.text;
    context.fillRect(0, rowTop(layout, side, hoveredRow), size.width, layout.rowHeight);
    context.globalAlpha = 1;
  }
  const index = selected?.side === side ? rowIndex(ladder, selected) : -1;
  if (index < 0) return;
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5;
  const top = rowTop(layout, side, index) + 1;
  context.strokeRect(1, top, size.width - 2, layout.rowHeight - 2);
}

/** Marks the levels that the other side's best price crosses. */
function markCrossed(context: Context, { side, rows, best, palette, layout }: SideScene): void {
  const other = side === 'bid' ? best.ask : best.bid;
  if (other === undefined) return;
  context.fillStyle = palette.warn;
  for (let index = 0; index < rows.length; index += 1) {
    const { price, size } = rowOf(rows, index);
    const isCrossed = side === 'bid' ? price >= other : price <= other;
    // Rows are best first: behind the first level that does not cross, none does.
    if (!isCrossed) return;
    if (size > 0n) {
      context.fillRect(0, rowTop(layout, side, index) + 1, MARK_WIDTH, layout.rowHeight - 2);
    }
  }
}

/** Marks the levels of the reader's own orders by a square before the price. */
function markOwn(context: Context, { own, side, rows, palette, layout }: SideScene): void {
  if (own === undefined || own[side].size === 0) return;
  context.fillStyle = palette.accent;
  for (let index = 0; index < rows.length; index += 1) {
    if (!own[side].has(rowOf(rows, index).price)) continue;
    const middle = rowTop(layout, side, index) + layout.rowHeight / 2;
    context.fillRect(OWN_LEFT, middle - OWN_SIZE / 2, OWN_SIZE, OWN_SIZE);
  }
}

/** Draws the texts: prices left, sizes in the middle, totals right. */
function drawTexts(context: Context, { rows, side, ...scene }: SideScene): void {
  const { layout, palette, size, pen, formatPrice, sizeText, totalText } = scene;
  const middleOf = (index: number): number =>
    rowTop(layout, side, index) + layout.rowHeight / 2 + 0.5;
  context.textAlign = 'left';
  context.fillStyle = palette[side];
  for (let index = 0; index < rows.length; index += 1) {
    context.fillText(formatPrice(rowOf(rows, index).price), EDGE, middleOf(index));
  }
  context.textAlign = 'right';
  context.fillStyle = palette.text;
  for (let index = 0; index < rows.length; index += 1) {
    context.fillText(sizeText(rowOf(rows, index)), size.width * SIZE_END, middleOf(index));
  }
  context.globalAlpha = TOTAL_TEXT_ALPHA;
  // The texts are not cached, because nearly every book changes most of them.
  for (let index = 0; index < rows.length; index += 1) {
    const place = { right: size.width - EDGE, middle: middleOf(index) };
    pen.drawNumber(context, totalText(rowOf(rows, index)), place);
  }
  context.globalAlpha = 1;
}

function drawMiddle(context: Context, { size, layout, palette, middle, best }: LadderScene): void {
  const isCrossed = best.bid !== undefined && best.ask !== undefined && best.bid >= best.ask;
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
  context.fillStyle = isCrossed ? palette.warn : palette.muted;
  context.font = `11px ${palette.font}`;
  context.fillText(middle.spread, size.width - EDGE, line);
}
