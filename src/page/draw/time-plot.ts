/** A time series, drawn by uPlot. Only the service page loads this module. */
import uPlot from 'uplot';
import { PLOT_SPAN_S } from '../model/limits.js';
import type { Palette } from './palette.js';

/** Callbacks of a plot. */
interface TimePlotOptions {
  readonly palette: Palette;
  readonly width: number;
  readonly format: (value: number) => string;
  /** Returns the time of day of a moment (unix milliseconds) as text. */
  readonly formatTime: (unixMs: number) => string;
  /**
   * Called with the index of the value under the pointer, in this plot or in another plot of the
   * page; undefined for none.
   */
  readonly onPoint: (index: number | undefined) => void;
}

const HEIGHT = 108;
/** Plots with one key share a pointer. */
const CURSOR_KEY = 'service';

/** A plot in an element; all plots of a page mark the same moment under the pointer. */
export class TimePlot {
  readonly #plot: uPlot;
  #palette: Palette;

  constructor(element: HTMLElement, options: TimePlotOptions) {
    this.#palette = options.palette;
    this.#plot = new uPlot(this.#describePlot(options), [[], []], element);
  }

  /** Draws values by their times, unix seconds; null values leave a gap. */
  setValues(times: readonly number[], values: readonly (number | null)[]): void {
    this.#plot.setData([[...times], [...values]]);
  }

  setWidth(width: number): void {
    if (width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT });
  }

  applyPalette(palette: Palette): void {
    this.#palette = palette;
    this.#plot.redraw();
  }

  remove(): void {
    this.#plot.destroy();
  }

  #describePlot(options: TimePlotOptions): uPlot.Options {
    const { width, onPoint } = options;
    return {
      width,
      height: HEIGHT,
      padding: [6, 20, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: CURSOR_KEY } },
      scales: { x: { range: rangeOfTimes }, y: { range: rangeOfValues } },
      series: [{}, this.#describeLine()],
      axes: this.#describeAxes(options),
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    };
  }

  #describeAxes({ palette, format, formatTime }: TimePlotOptions): uPlot.Axis[] {
    const stroke = (): string => this.#palette.muted;
    const both = { stroke, font: `11px ${palette.font}`, ticks: { show: false } };
    const asTimes: uPlot.Axis.DynamicValues = (_, splits) =>
      splits.map((second) => formatTime(second * 1_000));
    const asValues: uPlot.Axis.DynamicValues = (_, splits) => splits.map(format);
    const grid = { stroke: () => this.#palette.line, width: 1 };
    return [
      { ...both, grid: { show: false }, size: 20, space: 84, values: asTimes },
      { ...both, grid, size: 48, space: 28, gap: 6, values: asValues },
    ];
  }

  #describeLine(): uPlot.Series {
    return {
      stroke: () => this.#palette.accent,
      // Colours of the style sheet have six digits; two more add transparency.
      fill: () => `${this.#palette.accent}24`,
      width: 1.5,
      points: { size: 4 },
    };
  }
}

/**
 * The range ends at the newest value and has a minimum span, so that the line does not jump while
 * there are few values.
 */
function rangeOfTimes({ data: [times] }: uPlot): [number, number] {
  const [first = 0, last = 0] = [times[0], times[times.length - 1]];
  return [Math.min(first, last - PLOT_SPAN_S), last];
}

/** The range starts at zero, so that small changes of large values look small. */
function rangeOfValues(_: uPlot, _least: number, most: number): [number, number] {
  return [0, most > 0 ? most * 1.15 : 1];
}
