/** Draws liquidity over time: levels as colour, trades as dots, and lines of spread and depth. */
import type { OwnFill } from '../model/account-rows.js';
import { multiplesWithin, priceStep, timeStepMs } from '../model/axis.js';
import { type HeatColumn, type HeatView, midOf, paintHeat } from '../model/heat.js';
import type { Size } from './canvas.js';
import type { Palette } from './palette.js';

/** A trade. */
export interface HeatDot extends OwnFill {
  /** Value in quote. */
  readonly value: number;
}

/** The inputs of the drawing. */
interface HeatScene {
  readonly size: Size;
  readonly palette: Palette;
  readonly view: HeatView;
  readonly columns: readonly HeatColumn[];
  readonly dots: readonly HeatDot[];
  /** The cells, of {@link paintCells}. */
  readonly cells: HTMLCanvasElement;
  readonly formatPrice: (price: number) => string;
  readonly formatTime: (unixMs: number) => string;
  readonly formatSize: (size: number) => string;
  /** The time under the pointer; undefined for none. */
  readonly pointerTs: number | undefined;
}

/** Widths and heights in CSS pixels. */
const AXIS = { width: 84, height: 20 };
/** Least distance of two labels of an axis, and of a label from the edge above. */
const LABEL = { width: 100, height: 40, edge: 6 };
const STRIP = { height: 38, gap: 6 };
/** The height of the largest value, below the text of its strip. */
const LINE_PART = 0.6;
const RADIUS = { least: 1.5, most: 7 };
/** A trade of this value has a dot of half the largest area. */
const DOT_VALUE = 10_000;

type Context = CanvasRenderingContext2D;

/** The parts of the panel, from above. */
interface HeatAreas {
  readonly width: number;
  readonly heat: number;
  readonly spread: number;
  readonly depth: number;
  readonly axis: number;
}

/** Returns the parts of a panel of a size. */
function areasOf({ width, height }: Size): HeatAreas {
  const axis = height - AXIS.height;
  const depth = axis - STRIP.height;
  const spread = depth - STRIP.gap - STRIP.height;
  return { width: Math.max(1, width - AXIS.width), heat: spread - STRIP.gap, spread, depth, axis };
}

/** Returns the time at a horizontal position. */
export function timeAt(x: number, size: Size, { fromTs, toTs }: HeatView): number {
  return fromTs + (x / areasOf(size).width) * (toTs - fromTs);
}

/** Paints the cells, one pixel a column and a row; they are drawn scaled. */
export function paintCells(
  cells: HTMLCanvasElement,
  { columns, view, size, palette }: Pick<HeatScene, 'columns' | 'view' | 'size' | 'palette'>,
): void {
  const width = Math.ceil((view.toTs - view.fromTs) / view.stepMs) + 1;
  const height = Math.max(1, Math.round(areasOf(size).heat));
  cells.width = width;
  cells.height = height;
  const context = cells.getContext('2d');
  if (context === null) return;
  const image = context.createImageData(width, height);
  const colors = { bid: rgbOf(palette.bid), ask: rgbOf(palette.ask) };
  paintHeat(columns, { view, height }, ({ x, y }, part, side) => {
    if (x < 0 || x >= width) return;
    const at = (y * width + x) * 4;
    const [red, green, blue] = colors[side];
    image.data[at] = red;
    image.data[at + 1] = green;
    image.data[at + 2] = blue;
    image.data[at + 3] = 20 + part * 215;
  });
  context.putImageData(image, 0, 0);
}

/** Colours of the style sheet have six digits. */
function rgbOf(color: string): readonly [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Draws the whole scene. */
export function drawHeat(context: Context, scene: HeatScene): void {
  const { size, view, cells, pointerTs, palette } = scene;
  const areas = areasOf(size);
  const scale = (areas.width * view.stepMs) / (view.toTs - view.fromTs);
  context.imageSmoothingEnabled = false;
  context.save();
  context.beginPath();
  context.rect(0, 0, areas.width, size.height);
  context.clip();
  context.drawImage(cells, 0, 0, cells.width * scale, areas.heat);
  drawLine(context, scene, areas, {
    top: 0,
    height: areas.heat,
    color: palette.text,
    valueOf: (one) => (view.high - midOf(one)) / (view.high - view.low),
  });
  drawDots(context, scene, areas);
  drawStrips(context, scene, areas);
  if (pointerTs !== undefined) {
    context.fillStyle = palette.muted;
    context.fillRect(Math.round(xOf(pointerTs, view, areas)), 0, 1, areas.axis);
  }
  context.restore();
  drawAxes(context, scene, areas);
}

function xOf(ts: number, { fromTs, toTs }: HeatView, { width }: HeatAreas): number {
  return ((ts - fromTs) / (toTs - fromTs)) * width;
}

interface HeatLine {
  readonly top: number;
  readonly height: number;
  readonly color: string;
  /** The distance from the top as a part of the height. */
  readonly valueOf: (column: HeatColumn) => number;
}

/** Draws a line through all columns; where columns are missing it is interrupted. */
function drawLine(
  context: Context,
  { columns, view }: HeatScene,
  areas: HeatAreas,
  line: HeatLine,
): void {
  context.beginPath();
  let beforeTs = Number.NEGATIVE_INFINITY;
  for (const column of columns) {
    const x = xOf(column.ts, view, areas);
    const y = line.top + line.valueOf(column) * line.height;
    if (column.ts - beforeTs > view.stepMs * 1.5) context.moveTo(x, y);
    else context.lineTo(x, y);
    beforeTs = column.ts;
  }
  context.strokeStyle = line.color;
  context.lineWidth = 1.25;
  context.stroke();
}

function drawDots(context: Context, { dots, view, palette }: HeatScene, areas: HeatAreas): void {
  context.strokeStyle = palette.panel;
  context.lineWidth = 0.75;
  for (const { ts, price, value, isBuy } of dots) {
    if (ts < view.fromTs || ts > view.toTs) continue;
    const part = Math.sqrt(value / (value + DOT_VALUE));
    const y = ((view.high - price) / (view.high - view.low)) * areas.heat;
    context.beginPath();
    context.arc(
      xOf(ts, view, areas),
      y,
      Math.max(RADIUS.least, RADIUS.most * part),
      0,
      2 * Math.PI,
    );
    context.fillStyle = isBuy ? palette.bid : palette.ask;
    context.fill();
    context.stroke();
  }
}

/** Draws the spread, and the depth of both sides, each from zero, with its largest value. */
function drawStrips(context: Context, scene: HeatScene, areas: HeatAreas): void {
  const { columns, palette, formatSize } = scene;
  const spreadMax = Math.max(0.01, ...columns.map(({ spreadBps }) => spreadBps));
  const depthMax =
    Math.max(0, ...columns.flatMap(({ bidDepth, askDepth }) => [bidDepth, askDepth])) || 1;
  const strip = (top: number, color: string, partOf: (column: HeatColumn) => number): void =>
    drawLine(context, scene, areas, {
      ...{ top, height: STRIP.height, color },
      valueOf: (column) => 1 - LINE_PART * Math.max(0, partOf(column)),
    });
  context.fillStyle = palette.line;
  for (const top of [areas.spread, areas.depth, areas.axis])
    context.fillRect(0, top, areas.width, 1);
  strip(areas.spread, palette.accent, ({ spreadBps }) => spreadBps / spreadMax);
  strip(areas.depth, palette.bid, ({ bidDepth }) => bidDepth / depthMax);
  strip(areas.depth, palette.ask, ({ askDepth }) => askDepth / depthMax);
  context.font = `11px ${palette.font}`;
  context.textAlign = 'left';
  context.textBaseline = 'top';
  context.fillStyle = palette.muted;
  context.fillText(`Spread, to ${spreadMax.toFixed(2)} bps`, 8, areas.spread + 3);
  context.fillText(`Depth within 10 bps, to ${formatSize(depthMax)}`, 8, areas.depth + 3);
}

function drawAxes(context: Context, scene: HeatScene, areas: HeatAreas): void {
  const { size, palette, view, formatPrice, formatTime } = scene;
  context.fillStyle = palette.muted;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  const prices = multiplesWithin(
    view,
    priceStep((view.high - view.low) / (areas.heat / LABEL.height)),
  );
  for (const price of prices) {
    const y = ((view.high - price) / (view.high - view.low)) * areas.heat;
    context.fillText(formatPrice(price), size.width - 10, Math.max(LABEL.edge, y));
  }
  context.textAlign = 'center';
  const { fromTs, toTs } = view;
  const step = timeStepMs((toTs - fromTs) / (areas.width / LABEL.width));
  for (const ts of multiplesWithin({ low: fromTs, high: toTs }, step)) {
    const x = Math.max(LABEL.width / 4, xOf(ts, view, areas));
    context.fillText(formatTime(ts), x, size.height - AXIS.height / 2);
  }
}
