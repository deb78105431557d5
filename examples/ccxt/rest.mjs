/** The paths of slotbook as methods of ccxt. Public data only: orders are sent to the chain, not here. */
import {
  BadRequest,
  BadSymbol,
  Exchange,
  ExchangeNotAvailable,
  functions,
  NotSupported,
  Precise,
  RateLimitExceeded,
} from 'ccxt';

/** Prices and quote are integers at 1e6, base at 1e9. */
const QUOTE_UNIT = '1000000';
const BASE_UNIT = '1000000000';
/** The longest page of the paths. */
const ROWS_MAX = 1_000;
const HOUR_MS = 3_600_000;
const TIMEFRAMES = {
  ...{ '1m': '1', '5m': '5', '15m': '15', '1h': '60', '4h': '240' },
  ...{ '1d': 'D', '1w': 'W', '1M': 'M' },
};
const PATHS = [
  ...['markets', 'l2', 'batchL2', 'trades', 'candles', 'fundingRates'],
  ...['stats/markets', 'data/stats/markets'],
];
const METHODS = [
  ...['fetchMarkets', 'fetchOrderBook', 'fetchTicker', 'fetchTickers', 'fetchTrades', 'fetchOHLCV'],
  ...['fetchFundingRate', 'fetchFundingRateHistory'],
];

/** `new SlotbookRest({ url: 'http://127.0.0.1:8080' })`, with any other option of ccxt. */
export class SlotbookRest extends Exchange {
  /** `wsUrl` is `/ws` behind the `url` where it is not given. */
  constructor({ url = 'http://127.0.0.1:8080', wsUrl, ...config } = {}) {
    const ws = wsUrl ?? `${url.replace(/^http/, 'ws')}/ws`;
    super({ ...config, urls: { api: { public: url, ws } } });
  }

  describe() {
    return this.deepExtend(super.describe(), {
      ...{ id: 'slotbook', name: 'slotbook', countries: [], rateLimit: 20, dex: true },
      has: Object.fromEntries([...METHODS, 'spot', 'swap'].map((name) => [name, true])),
      timeframes: TIMEFRAMES,
      api: { public: { get: PATHS } },
      precisionMode: functions.TICK_SIZE,
      exceptions: {
        ...{ UNKNOWN_MARKET: BadSymbol, NOT_READY: ExchangeNotAvailable, NO_HISTORY: NotSupported },
        RATE_LIMITED: RateLimitExceeded,
      },
      // Whether books have the levels of the AMM as well.
      options: { includeVamm: false },
    });
  }

  sign(path, _api, method, params = {}) {
    const query = this.urlencode(params);
    return { url: `${this.urls.api.public}/${path}${query === '' ? '' : `?${query}`}`, method };
  }

  handleErrors(_status, _text, url, _method, _headers, _body, response) {
    const error = response?.error;
    if (error?.code === undefined) return undefined;
    const Kind = this.exceptions[error.code] ?? (error.param ? BadRequest : ExchangeNotAvailable);
    throw new Kind(`${this.id} ${error.code}: ${error.message} (${url})`);
  }

  /** As ccxt's, which keeps the first failure for ever: a bot that starts before the service had no market. */
  async loadMarkets(reload = false, params = {}) {
    try {
      return await super.loadMarkets(reload, params);
    } catch (error) {
      this.marketsLoading = undefined;
      throw error;
    }
  }

  async fetchMarkets() {
    const [listed, described] = await Promise.all([
      this.publicGetMarkets(),
      this.publicGetDataStatsMarkets(),
    ]);
    const byName = this.indexBy(described.markets, 'symbol');
    const rows = listed.map((row) => ({ ...byName[row.symbol], ...row }));
    // The market of the quote asset is a balance, and has no book.
    const traded = rows.filter(({ symbol, quoteAsset }) => symbol !== quoteAsset);
    return traded.map((row) => this.parseMarket(row));
  }

  /** Throws an ExchangeNotAvailable while the book is old, or crossed beyond what `uncross` moves apart. */
  async fetchOrderBook(symbol, limit = undefined, params = {}) {
    await this.loadMarkets();
    const { includeVamm } = this.options;
    const depth = limit === undefined ? {} : { depth: limit };
    const query = { marketName: this.market(symbol).id, includeVamm, uncross: true, ...depth };
    const body = await this.publicGetL2({ ...query, ...params });
    if (!isFit(body)) {
      const why = body.crossed ? 'crossed' : body.state;
      throw new ExchangeNotAvailable(`${this.id} the book of ${symbol} is ${why}`);
    }
    const side = (rows) => rows.map(({ price, size }) => this.parseLevel(price, size));
    return this.makeOrderBook(symbol, { ...body, bids: side(body.bids), asks: side(body.asks) });
  }

  async fetchTicker(symbol, params = {}) {
    const tickers = await this.fetchTickers([symbol], params);
    return tickers[symbol];
  }

  /** Bid and ask are missing where the book is old or crossed. */
  async fetchTickers(symbols = undefined, params = {}) {
    await this.loadMarkets();
    const markets = (this.marketSymbols(symbols) ?? this.symbols).map((name) => this.market(name));
    const list = (value) => markets.map(value).join(',');
    const [rows, { l2s }] = await Promise.all([
      this.publicGetStatsMarkets(params),
      this.publicGetBatchL2({
        marketName: list(({ id }) => id),
        ...{ depth: list(() => 1), uncross: list(() => true) },
        includeVamm: list(() => this.options.includeVamm),
      }),
    ]);
    const byName = this.indexBy(rows, 'symbol');
    const tickers = markets.map((market, index) => {
      const book = isFit(l2s[index]) ? l2s[index] : undefined;
      return this.parseTicker({ ...byName[market.id], book }, market);
    });
    return this.indexBy(tickers, 'symbol');
  }

  /** The newest trades of a market, oldest first; `params.before` is the cursor of an older page. */
  async fetchTrades(symbol, since = undefined, limit = ROWS_MAX, params = {}) {
    await this.loadMarkets();
    const market = this.market(symbol);
    const count = since === undefined ? Math.min(limit, ROWS_MAX) : ROWS_MAX;
    const rows = await this.publicGetTrades({ symbol: market.id, limit: count, ...params });
    return this.parseTrades(rows, market, since, limit);
  }

  async fetchOHLCV(symbol, timeframe = '1m', since = undefined, limit = ROWS_MAX, params = {}) {
    await this.loadMarkets();
    const resolution = this.timeframes[timeframe];
    if (resolution === undefined) throw new BadRequest(`${this.id} has no timeframe ${timeframe}`);
    const market = this.market(symbol);
    const query = { symbol: market.id, resolution, limit: Math.min(limit, ROWS_MAX) };
    if (since !== undefined) {
      query.from = Math.ceil(since / 1_000);
      query.to = query.from + query.limit * this.parseTimeframe(timeframe) - 1;
    }
    const candles = await this.publicGetCandles({ ...query, ...params });
    return this.parseOHLCVs(candles, market, timeframe, since, limit);
  }

  async fetchFundingRate(symbol, params = {}) {
    await this.loadMarkets();
    const market = this.market(symbol);
    const rows = await this.publicGetStatsMarkets(params);
    return this.parseFundingRate(this.indexBy(rows, 'symbol')[market.id] ?? {}, market);
  }

  /** Of the last 30 days, oldest first: what longs pay shorts in an hour, as a fraction. */
  async fetchFundingRateHistory(symbol, since = undefined, limit = ROWS_MAX, params = {}) {
    await this.loadMarkets();
    const query = { symbol: this.market(symbol).id, limit: ROWS_MAX };
    const rows = await this.publicGetFundingRates({ ...query, ...params });
    const rates = rows.reverse().map((info) => {
      const timestamp = this.safeTimestamp(info, 'ts');
      const fundingRate = this.safeNumber(info, 'fundingRate');
      return { info, symbol, fundingRate, timestamp, datetime: this.iso8601(timestamp) };
    });
    return this.filterBySymbolSinceLimit(rates, symbol, since, limit);
  }

  parseMarket(info) {
    const { symbol: id, baseAsset: base, quoteAsset: quote } = info;
    const swap = info.marketType === 'perp';
    const unit = (name, one) => this.parseNumber(Precise.stringDiv(info[name], one));
    // Steps and least sizes have the token's decimals, unlike all sizes of books and trades.
    const token = `1${'0'.repeat(Number(info.decimals))}`;
    const contract = { linear: true, inverse: false, contractSize: 1, settle: quote };
    return this.safeMarketStructure({
      ...{ id, info, base, quote, baseId: base, quoteId: quote },
      ...{ swap, spot: !swap, contract: swap, type: swap ? 'swap' : 'spot' },
      ...(swap ? { ...contract, settleId: quote } : {}),
      symbol: swap ? `${base}/${quote}:${quote}` : `${base}/${quote}`,
      active: info.status === 'active',
      taker: this.safeNumber(info.fees, 'taker'),
      maker: this.safeNumber(info.fees, 'maker'),
      precision: { amount: unit('step', token), price: unit('tick', QUOTE_UNIT) },
      limits: {
        amount: { min: unit('minOrderSize', token), max: undefined },
        leverage: {
          min: this.safeNumber(info.limits?.leverage, 'min'),
          max: this.safeNumber(info.limits?.leverage, 'max'),
        },
      },
    });
  }

  parseTicker(info, market) {
    const text = (name) => this.safeString(info, name);
    const [bid, ask] = [info.book?.bids[0], info.book?.asks[0]];
    const timestamp = this.safeInteger(info.book, 'ts');
    const raw = (row, name, one) => row && Precise.stringDiv(row[name], one);
    return this.safeTicker(
      {
        ...{ info, symbol: market.symbol, timestamp, datetime: this.iso8601(timestamp) },
        ...{ bid: raw(bid, 'price', QUOTE_UNIT), bidVolume: raw(bid, 'size', BASE_UNIT) },
        ...{ ask: raw(ask, 'price', QUOTE_UNIT), askVolume: raw(ask, 'size', BASE_UNIT) },
        ...{ last: text('price'), open: text('price24hAgo') },
        ...{ high: text('high24h'), low: text('low24h'), indexPrice: text('oraclePrice') },
        ...{ baseVolume: text('baseVolume24h'), quoteVolume: text('volume24h') },
      },
      market,
    );
  }

  parseTrade(info, market) {
    const timestamp = this.safeTimestamp(info, 'ts');
    const amount = Precise.stringDiv(this.safeString(info, 'baseAssetAmountFilled'), BASE_UNIT);
    const cost = Precise.stringDiv(this.safeString(info, 'quoteAssetAmountFilled'), QUOTE_UNIT);
    const side = { long: 'buy', short: 'sell' }[info.takerOrderDirection];
    return this.safeTrade(
      {
        ...{ info, id: this.safeString(info, 'fillRecordId'), symbol: market.symbol, side },
        ...{ timestamp, datetime: this.iso8601(timestamp), takerOrMaker: 'taker' },
        ...{ amount, cost, price: Precise.stringDiv(cost, amount, 6) },
      },
      market,
    );
  }

  parseOHLCV(candle) {
    const fills = ['fillOpen', 'fillHigh', 'fillLow', 'fillClose', 'baseVolume'];
    return [
      this.safeTimestamp(candle, 'ts'),
      ...fills.map((name) => this.safeNumber(candle, name)),
    ];
  }

  parseFundingRate(info, market) {
    const fundingTimestamp = this.safeTimestamp(info, 'fundingRateTs');
    const next = fundingTimestamp === undefined ? undefined : fundingTimestamp + HOUR_MS;
    return {
      ...{ info, symbol: market.symbol, interval: '1h' },
      fundingRate: this.safeNumber(info, 'fundingRate'),
      indexPrice: this.safeNumber(info, 'oraclePrice'),
      ...{ fundingTimestamp, fundingDatetime: this.iso8601(fundingTimestamp) },
      ...{ nextFundingTimestamp: next, nextFundingDatetime: this.iso8601(next) },
    };
  }

  /** A row of a book as numbers. */
  parseLevel(price, size) {
    const number = (raw, one) => this.parseNumber(Precise.stringDiv(raw, one));
    return [number(price, QUOTE_UNIT), number(size, BASE_UNIT)];
  }

  makeOrderBook(symbol, { bids, asks, epoch, state, ...stamp }) {
    const [nonce, slot] = [Number(stamp.seq), Number(stamp.slot)];
    const timestamp = Number(stamp.ts);
    const info = { epoch, seq: nonce, slot, state };
    return { symbol, bids, asks, nonce, timestamp, datetime: this.iso8601(timestamp), info };
  }
}

/** Whether a body of /l2 may be traded on. */
function isFit({ state, crossed }) {
  return state === 'live' && crossed === false;
}
