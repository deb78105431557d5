/** Draws cumulative depth on both sides of the mid price. */
import { countWithin, type DepthCurve, type DepthSide } from '../model/depth.js';
import type { Size } from './canvas.js';
import type { Palette } from './palette.js';

/** The inputs of the drawing. */
interface DepthScene {
  readonly size: Size;
  readonly palette: Palette;
  readonly curve: DepthCurve;
  readonly formatPrice: (price: number) => string;
  readonly formatTotal: (total: number) => string;
  /** The pointer's position; undefined while it is outside. */
  readonly pointerX: number | undefined;
}

/** Height of the labels below. */
const AXIS_HEIGHT = 20;
/** Space above the highest total. */
const HEAD_ROOM = 26;

type Context = CanvasRenderingContext2D;

interface Scale {
  readonly x: (price: number) => number;
  readonly y: (total: number) => number;
  readonly floor: number;
}

/** Draws the whole scene; draws nothing when a side is empty. */
export function drawDepth(context: Context, scene: DepthScene): void {
  const { curve, palette } = scene;
  if (curve.mid === null || curve.reach === 0) return;
  const scale = scaleOf(scene, curve.mid);
  drawSide(context, scene, scale, { steps: curve.bids, color: palette.bid, end: 0 });
  drawSide(context, scene, scale, {
    steps: curve.asks,
    color: palette.ask,
    end: scene.size.width,
  });
  drawAxis(context, scene, scale, curve.mid);
  if (scene.pointerX !== undefined) drawPointer(context, scene, scale, scene.pointerX);
}

function scaleOf({ size: { width, height }, curve }: DepthScene, mid: number): Scale {
  const floor = height - AXIS_HEIGHT;
  const { reach, totalMax } = curve;
  return {
    x: (price) => ((price - mid + reach) / (2 * reach)) * width,
    y: (total) => floor - (total / totalMax) * (floor - HEAD_ROOM),
    floor,
  };
}

/** Draws a side as steps: between two levels, the total is that of the better level. */
function drawSide(
  context: Context,
  { size: { width } }: DepthScene,
  scale: Scale,
  side: { readonly steps: DepthSide; readonly color: string; readonly end: number },
): void {
  const { floor } = scale;
  const [best] = side.steps.prices;
  if (best === undefined) return;
  context.beginPath();
  context.moveTo(scale.x(best), floor);
  context.lineTo(side.end, drawSteps(context, scale, side.steps, width));
  context.strokeStyle = side.color;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(side.end, floor);
  context.closePath();
  context.globalAlpha = 0.14;
  context.fillStyle = side.color;
  context.fill();
  context.globalAlpha = 1;
}

/** Draws the steps up to the edge. Returns the height of the last step. */
function drawSteps(
  context: Context,
  { x, y, floor }: Scale,
  { prices, totals }: DepthSide,
  width: number,
): number {
  let last = floor;
  for (let index = 0; index < prices.length; index += 1) {
    const at = Math.max(-1, Math.min(width + 1, x(prices[index] ?? 0)));
    context.lineTo(at, last);
    last = y(totals[index] ?? 0);
    context.lineTo(at, last);
    if (at < 0 || at > width) break;
  }
  return last;
}

function drawAxis(
  context: Context,
  { size: { width, height }, palette, curve, formatPrice, formatTotal }: DepthScene,
  { x, y, floor }: Scale,
  mid: number,
): void {
  context.fillStyle = palette.line;
  context.fillRect(0, floor, width, 1);
  context.fillRect(Math.round(x(mid)), HEAD_ROOM - 8, 1, floor - HEAD_ROOM + 8);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  context.fillStyle = palette.muted;
  const labels = [-0.5, 0, 0.5].map((part) => mid + part * curve.reach);
  context.textAlign = 'center';
  for (const price of labels) context.fillText(formatPrice(price), x(price), height - 9);
  context.textAlign = 'right';
  for (const part of [1, 0.5]) {
    const total = curve.totalMax * part;
    context.fillText(formatTotal(total), width - 8, y(total) - 8);
  }
}

/** Draws a line at the pointer, and the total that can be traded up to its price. */
function drawPointer(
  context: Context,
  { size: { width }, palette, curve, formatPrice, formatTotal }: DepthScene,
  { floor }: Scale,
  pointerX: number,
): void {
  const mid = curve.mid ?? 0;
  const price = mid + (pointerX / width - 0.5) * 2 * curve.reach;
  const side = price < mid ? curve.bids : curve.asks;
  const distance = Math.abs(price - mid);
  const bps = (distance / mid) * 1e4;
  const total = formatTotal(side.totals[countWithin(side, mid, distance) - 1] ?? 0);
  context.fillStyle = palette.muted;
  context.fillRect(Math.round(pointerX), HEAD_ROOM - 8, 1, floor - HEAD_ROOM + 8);
  context.fillStyle = palette.text;
  context.textAlign = pointerX < width / 2 ? 'left' : 'right';
  const text = `${formatPrice(price)}  ${total}  ${bps.toFixed(1)} bps`;
  context.fillText(text, pointerX + (pointerX < width / 2 ? 8 : -8), 12);
}
