/** The colours of a canvas, read from the style sheet, which alone defines light and dark. */
import type { Source } from '../model/ladder.js';

const COLORS = [
  'panel',
  'text',
  'muted',
  'line',
  'bid',
  'ask',
  'accent',
  'amm',
  'indicative',
  'warn',
] as const;

/** The colours and fonts for drawing. */
export type Palette = Readonly<Record<(typeof COLORS)[number] | 'font', string>>;

/** Reads the palette from an element's current styles. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const colors = COLORS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return { ...Object.fromEntries(colors), font: style.fontFamily };
}

/** The colour of a source on one side. */
export function sourceColor(palette: Palette, source: Source, side: 'bid' | 'ask'): string {
  if (source === 'dlob') return palette[side];
  if (source === 'vamm') return palette.amm;
  return source === 'indicative' ? palette.indicative : palette.muted;
}
