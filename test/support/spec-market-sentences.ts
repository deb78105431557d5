/**
 * The sentences of the specification's market data interface in its own words, rows of tables written
 * out, each under a short id; see `spec-sentences.ts`.
 */
export const MARKET_SENTENCES = {
  // Precision.
  'trade-precision-base': 'BASE_PRECISION 1e9: base sizes in trades.',
  'trade-precision-quote': 'quote precision 1e6: quote amounts in trades.',
  'trade-precision-raw':
    'Amounts in trades are raw integers. A client divides by the precision to get human values.',

  // FundingRate record.
  'funding-ts': 'ts: integer, Unix time in seconds.',
  'funding-symbol': 'symbol: string, market symbol.',
  'funding-index': 'marketIndex: integer.',
  'funding-rate': 'fundingRate: number, decimal.',
  'funding-oracle': 'oraclePrice: number, decimal.',
  'funding-mark': 'markPrice: number, decimal.',

  // Trade record.
  'trade-ts': 'ts: integer, Unix time in seconds.',
  'trade-index': 'marketIndex: integer.',
  'trade-type': 'marketType: string, `perp` is a value.',
  'trade-filler': 'filler: string, address of the filler.',
  'trade-taker': 'taker: string, address of the taker account.',
  'trade-maker': 'maker: string, address of the maker account.',
  'trade-taker-order': 'takerOrderId: integer.',
  'trade-maker-order': 'makerOrderId: integer.',
  'trade-base': 'baseAssetAmountFilled: integer, base precision (1e9).',
  'trade-quote': 'quoteAssetAmountFilled: integer, quote precision (1e6).',
  'trade-taker-fee': 'takerFee: integer, protocol precision; a positive amount is a charge.',
  'trade-maker-fee': 'makerFee: integer, protocol precision; a negative amount is a rebate.',
  'trade-action': 'action: string, `fill` is a value.',
  'trade-explanation': 'actionExplanation: string, `orderFilledWithMatch` is a value.',

  // Candle (JsonCandle).
  'candle-ts': 'ts: integer (Unix seconds).',
  'candle-open': 'fillOpen: number.',
  'candle-high': 'fillHigh: number.',
  'candle-low': 'fillLow: number.',
  'candle-close': 'fillClose: number.',
  'candle-volume': 'baseVolume: number.',
  'candle-resolutions':
    'Candle resolutions (strings, minutes): `1`, `5`, `15`, `60`, `240`, `1440`.',

  // "Market data interface": the table of paths, and who may read.
  'path-funding-rates':
    'GET /fundingRates: symbol (string, market symbol); JSON array of FundingRate records for the market.',
  'path-trades': 'GET /trades: JSON array of Trade records.',
  'path-trades-symbol': 'GET /trades symbol: string, required.',
  'path-trades-limit': 'GET /trades limit: integer, maximum results; typically at most 1000.',
  'path-trades-page': 'GET /trades pageIndex: integer, pagination.',
  'market-data-open': 'The market data interface (HTTP) requires no authentication.',

  // "Live data", and events.
  'live-path': 'Live data: WebSocket at {data_ws_url}/ws.',
  'live-type': 'type: string, `subscribe`.',
  'live-symbol': 'symbol: string, market symbol.',
  'live-resolution': 'resolution: string, a candle resolution.',
  'live-data': 'The server then sends JSON text messages with live candle and trade data.',
  'live-open': 'The market data interface (WebSocket) requires no authentication.',
  'event-market':
    'Market data WebSocket: live candle updates and live trades pushed after a `subscribe` message with symbol and resolution.',

  // "Limits".
  'limit-trades': 'trades `limit`: typically at most 1000.',

  // "MarketStats" and its path.
  'stats-path': 'GET /stats/markets response: JSON array of MarketStats for all markets.',
  'stats-index': 'MarketStats marketIndex: integer, market index.',
  'stats-symbol':
    'MarketStats symbol: string, market symbol, form `<BASE>-PERP` for perpetual markets.',
  'stats-type': 'MarketStats marketType: string, `perp` for perpetual markets.',
  'stats-oracle': 'MarketStats oraclePrice: number, decimal, human units.',
  'stats-volume': 'MarketStats volume24h: number, decimal.',
  'stats-interest': 'MarketStats openInterest: number, decimal.',
  'stats-funding': 'MarketStats fundingRate: number, decimal.',
  'stats-funding-average': 'MarketStats fundingRate24hAvg: number, decimal.',
  'stats-status': 'MarketStats status: string, `active` is a value.',
} as const;
