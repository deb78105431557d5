/** The chart of candles and volume, drawn by lightweight-charts. */
import type { Candle } from '@slotbook/client';
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type LogicalRange,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { OwnFill } from '../model/account-rows.js';
import type { Palette } from './palette.js';

/** Older candles are loaded when fewer than this number remain left of the visible candles. */
const OLDER_BARS = 30;
/** Width for the longest price, so that the chart does not shift when the price changes. */
const PRICE_SCALE_WIDTH = 84;
/** Bounds of the number of initially visible candles, which is smaller for a young market. */
const FIRST_BARS = { min: 48, max: 140 };

/** Events of a chart. */
interface ChartEvents {
  /** The view approaches the oldest candle. */
  onOlder(): void;
  /** A candle was clicked; its start, unix seconds. */
  onCandle(ts: number): void;
}

/** A chart in an element. */
export class CandleChart {
  readonly #chart: IChartApi;
  readonly #candles: ISeriesApi<'Candlestick'>;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #markers: ISeriesMarkersPluginApi<Time>;
  #palette: Palette;
  #fills: readonly OwnFill[] = [];
  #shown: readonly Candle[] = [];
  /** The distance of displayed times from UTC, seconds: the library knows no time zones. */
  #offset = 0;

  constructor(element: HTMLElement, palette: Palette, events: ChartEvents) {
    this.#palette = palette;
    this.#chart = createChart(element, {
      autoSize: true,
      ...themeOf(palette),
      timeScale: { timeVisible: true, secondsVisible: false, borderVisible: false, rightOffset: 4 },
      rightPriceScale: { borderVisible: false, minimumWidth: PRICE_SCALE_WIDTH },
    });
    this.#candles = this.#chart.addSeries(CandlestickSeries, candleColors(palette));
    this.#markers = createSeriesMarkers(this.#candles);
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
    this.#candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.22 } });
    this.#followEvents(events);
  }

  #followEvents({ onOlder, onCandle }: ChartEvents): void {
    const handleRange = (range: LogicalRange | null): void => {
      if (range !== null && range.from < OLDER_BARS && this.#shown.length > 0) onOlder();
    };
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange(handleRange);
    this.#chart.subscribeClick(({ time }) => {
      if (time !== undefined) onCandle(Number(time) - this.#offset);
    });
  }

  /** Shows these candles, oldest first; the view stays when older candles are prepended. */
  setCandles(candles: readonly Candle[]): void {
    const isOther = this.#shown.at(-1)?.ts !== candles.at(-1)?.ts || this.#shown.length === 0;
    this.#shown = candles;
    this.#candles.setData(candles.map((candle) => this.#barOf(candle)));
    this.#volume.setData(candles.map((candle) => this.#volumeOf(candle)));
    this.setFills(this.#fills);
    if (!isOther) return;
    const to = candles.length + 3;
    const bars = Math.min(FIRST_BARS.max, Math.max(FIRST_BARS.min, candles.length));
    this.#chart.timeScale().setVisibleLogicalRange({ from: to - bars, to });
  }

  updateCandle(candle: Candle): void {
    if (this.#shown.length === 0) return;
    this.#candles.update(this.#barOf(candle));
    this.#volume.update(this.#volumeOf(candle));
  }

  /** Marks the fills of the reader's accounts, oldest first, in the candles that contain them. */
  setFills(fills: readonly OwnFill[]): void {
    this.#fills = fills;
    const { bid, ask } = this.#palette;
    const marks = fills.flatMap(({ ts, price, isBuy }) => {
      const candle = this.#shown.findLast((one) => one.ts <= ts);
      if (candle === undefined) return [];
      const time = this.#timeOf(candle.ts);
      const color = isBuy ? bid : ask;
      return [{ time, price, color, shape: 'circle', position: 'atPriceMiddle' } as const];
    });
    this.#markers.setMarkers(marks);
  }

  /** Sets the distance of displayed times from UTC, seconds. */
  setOffset(offset: number): void {
    if (offset === this.#offset) return;
    this.#offset = offset;
    const shown = this.#shown;
    this.#shown = [];
    this.setCandles(shown);
  }

  setPriceFormat(decimals: number, priceFormatter: (price: number) => string): void {
    const priceFormat = { type: 'price', precision: decimals, minMove: 10 ** -decimals } as const;
    this.#candles.applyOptions({ priceFormat });
    this.#chart.applyOptions({ localization: { priceFormatter } });
  }

  applyPalette(palette: Palette): void {
    this.#palette = palette;
    this.#chart.applyOptions(themeOf(palette));
    this.#candles.applyOptions(candleColors(palette));
    this.#volume.setData(this.#shown.map((candle) => this.#volumeOf(candle)));
  }

  remove(): void {
    this.#chart.remove();
  }

  #volumeOf(candle: Candle): { time: UTCTimestamp; value: number; color: string } {
    const { ts, fillOpen, fillClose, baseVolume } = candle;
    const color = fillClose >= fillOpen ? this.#palette.bid : this.#palette.ask;
    return { time: this.#timeOf(ts), value: baseVolume, color: `${color}66` };
  }

  #barOf({ ts, fillOpen: open, fillHigh: high, fillLow: low, fillClose: close }: Candle) {
    return { time: this.#timeOf(ts), open, high, low, close };
  }

  #timeOf(ts: number): UTCTimestamp {
    return (ts + this.#offset) as UTCTimestamp;
  }
}

function candleColors({ bid, ask }: Palette) {
  return {
    upColor: bid,
    wickUpColor: bid,
    downColor: ask,
    wickDownColor: ask,
    borderVisible: false,
  };
}

/**
 * The library's logo is off, because it would add a style element, which the page's policy forbids;
 * the notice is separate.
 */
function themeOf({ panel, muted, line, font }: Palette) {
  return {
    layout: {
      background: { color: panel },
      textColor: muted,
      fontFamily: font,
      fontSize: 11,
      attributionLogo: false,
    },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
  };
}
