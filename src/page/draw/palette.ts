/** The colours of a canvas, read from the style sheet, which alone defines light and dark. */
import type { Source } from '../model/ladder.js';

/** The colours and fonts for drawing. */
export interface Palette {
  readonly panel: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly bid: string;
  readonly ask: string;
  readonly accent: string;
  readonly amm: string;
  readonly indicative: string;
  readonly warn: string;
  readonly font: string;
}

/** Reads the palette from an element's current styles. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    panel: read('panel'),
    text: read('text'),
    muted: read('muted'),
    line: read('line'),
    bid: read('bid'),
    ask: read('ask'),
    accent: read('accent'),
    amm: read('amm'),
    indicative: read('indicative'),
    warn: read('warn'),
    font: style.fontFamily,
  };
}

/** The colour of a source on one side. */
export function sourceColor(palette: Palette, source: Source, side: 'bid' | 'ask'): string {
  if (source === 'dlob') return palette[side];
  if (source === 'vamm') return palette.amm;
  return source === 'indicative' ? palette.indicative : palette.muted;
}
