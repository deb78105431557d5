/** The paths of the service and the schemas of their bodies. */

import type { TSchema } from '@sinclair/typebox';
import { errorBody, udfErrorBody } from '../api/error-bodies.js';
import {
  authorityAccounts,
  userDeposits,
  userFundingPayments,
  userLiquidations,
  userMarketOrders,
  userMarketTrades,
  userOrder,
  userPlacedOrders,
  userSettlePnl,
  userTrades,
} from './account-records.js';
import { accountPath, accountsPath } from './accounts.js';
import { auctionParamsPath } from './auction-params.js';
import { auctions } from './auctions.js';
import { batchL2, batchL2Cache } from './batch-l2.js';
import { candles } from './candles.js';
import { contracts, perpContracts } from './contracts.js';
import { docs } from './docs.js';
import { fundingMeansPath } from './funding-means.js';
import { fundingRates } from './funding-rates.js';
import { indexPath } from './index-path.js';
import { journalPath } from './journal.js';
import { l2 } from './l2.js';
import { l3 } from './l3.js';
import { liquidityPath } from './liquidity.js';
import { liquidityHistoryPath } from './liquidity-history.js';
import { logFiles } from './log-files.js';
import { fundingRateArchive, tradeArchive } from './market-archives.js';
import { marketCandles } from './market-candles.js';
import { marketFundingRates, marketTrades } from './market-pages.js';
import { marketRecords } from './market-records.js';
import { marketStatsPath } from './market-stats.js';
import { markets } from './markets.js';
import { match } from './match.js';
import { orderbook } from './orderbook.js';
import type { Path } from './path.js';
import { priceRecords } from './price-records.js';
import { batchPriorityFees, priorityFees } from './priority-fees.js';
import { proof } from './proof.js';
import { readyPath } from './ready.js';
import {
  asyncapi,
  health,
  metricsPath,
  openapi,
  quotesWs,
  versionPath,
  ws,
} from './service-paths.js';
import { statusPath } from './status.js';
import { tickers } from './tickers.js';
import { topMakers } from './top-makers.js';
import { trades } from './trades.js';
import { udfConfig, udfSearch, udfSymbols, udfTime } from './udf.js';
import { udfHistory } from './udf-history.js';
import { userOrders } from './user-orders.js';
import { hourVolumes, periodVolumes } from './volumes.js';

/** Every path by its name, without prefixes. */
export const paths = {
  '/l2': l2,
  '/batchL2': batchL2,
  '/batchL2Cache': batchL2Cache,
  '/l3': l3,
  '/auctions': auctions,
  '/liquidity': liquidityPath,
  '/liquidity/history': liquidityHistoryPath,
  '/match': match,
  '/topMakers': topMakers,
  '/auctionParams': auctionParamsPath,
  '/priorityFees': priorityFees,
  '/batchPriorityFees': batchPriorityFees,
  '/stats/markets': marketStatsPath,
  '/data/stats/markets': marketRecords,
  '/stats/markets/prices': priceRecords,
  '/contracts': contracts,
  '/external/coingecko/contracts': perpContracts,
  '/tickers': tickers,
  '/orderbook': orderbook,
  '/stats/markets/volume/{period}': periodVolumes,
  '/stats/markets/volume': hourVolumes,
  '/stats/fundingRates': fundingMeansPath,
  '/trades': trades,
  '/fundingRates': fundingRates,
  '/candles': candles,
  '/market/{symbol}/trades': marketTrades,
  '/market/{symbol}/fundingRates': marketFundingRates,
  '/market/{symbol}/candles/{resolution}': marketCandles,
  '/market/{symbol}/trades/{year}/{month}/{day}': tradeArchive,
  '/market/{symbol}/fundingRates/{year}/{month}/{day}': fundingRateArchive,
  '/accounts/{account}': accountPath,
  '/accounts': accountsPath,
  '/user/{account}/orders': userOrders,
  '/user/{account}/orders/perp': userPlacedOrders,
  '/user/{account}/orders/perp/{symbol}': userMarketOrders,
  '/user/{account}/orders/id/{orderId}': userOrder,
  '/user/{account}/trades': userTrades,
  '/user/{account}/trades/{symbol}': userMarketTrades,
  '/user/{account}/fundingPayments': userFundingPayments,
  '/user/{account}/deposits': userDeposits,
  '/user/{account}/settlePnl': userSettlePnl,
  '/user/{account}/liquidations': userLiquidations,
  '/authority/{key}/accounts': authorityAccounts,
  '/udf/config': udfConfig,
  '/udf/symbols': udfSymbols,
  '/udf/search': udfSearch,
  '/udf/history': udfHistory,
  '/udf/time': udfTime,
  '/ws': ws,
  '/quotes/ws': quotesWs,
  '/markets': markets,
  '/health': health,
  '/ready': readyPath,
  '/status': statusPath,
  '/journal': journalPath,
  '/log': logFiles,
  '/proof': proof,
  '/metrics': metricsPath,
  '/version': versionPath,
  '/openapi.json': openapi,
  '/asyncapi.json': asyncapi,
  '/docs': docs,
  '/': indexPath,
} as const satisfies Readonly<Record<string, Path>>;

/** The name of a path, without prefixes. */
export type PathName = keyof typeof paths;

/** Every path as one kind of value. */
export const pathOf = (name: PathName): Path => paths[name];

/** All JSON bodies by their names in the API description. */
export const bodySchemas: Readonly<Record<string, TSchema>> = Object.fromEntries(
  [...Object.values<Path>(paths).map(({ body }) => body), errorBody, udfErrorBody].flatMap(
    (body) => (body !== null && 'schema' in body ? [[body.name, body.schema] as const] : []),
  ),
);
