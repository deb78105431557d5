/** Flags of the commands, by what they are about. */
import { Option } from 'commander';
import { DEFAULTS, HISTORY_DEFAULTS } from '../config/config.js';

/** What the history of a served book has. */
export const historyOptions = [
  new Option('--no-history', 'serve the book alone, without trades, funding rates and candles'),
  new Option(
    '--data-dir <folder>',
    `where the history is kept (default ${HISTORY_DEFAULTS.dataDir}, for a demo a fresh one)`,
  ),
  new Option(
    '--retention-days <days>',
    `older trades and funding rates are deleted, 0 for never (default ${HISTORY_DEFAULTS.retentionDays})`,
  ),
  new Option(
    '--candle-retention-days <days>',
    `older candles shorter than a day are deleted, 0 for never (default ${HISTORY_DEFAULTS.candleRetentionDays})`,
  ),
  new Option(
    '--backfill-hours <hours>',
    `how far back an empty history is filled (default ${HISTORY_DEFAULTS.backfillHours})`,
  ),
  new Option(
    '--backfill-transactions <count>',
    `with how many transactions at most (default ${HISTORY_DEFAULTS.backfillTransactions})`,
  ),
  new Option(
    '--history-requests-per-second <count>',
    `transactions asked of the node (default ${HISTORY_DEFAULTS.historyRequestsPerSecond})`,
  ),
];

/** A cluster, by its nodes. */
export const clusterOptions = [
  new Option('--rpc-url <url>', 'HTTP address of a Solana RPC node'),
  new Option('--ws-url <url>', 'its subscription address (default derived from --rpc-url)'),
  new Option('--fallback-rpc-url <url>', 'another node, used while the first one fails'),
  new Option('--fallback-ws-url <url>', 'its subscription address (default derived likewise)'),
  new Option('--snapshot-url <url>', 'a node for the heavy scan of all users (default: the same)'),
  new Option('--program-id <key>', `the exchange's program (default ${DEFAULTS.programId})`),
];

/** The market of the demo. */
export const demoOptions = [
  new Option('--rate <writes>', `account writes a second (default ${DEFAULTS.demoRate})`),
  new Option('--seed <number>', `seed of the market life (default ${DEFAULTS.demoSeed})`),
  new Option('--makers <count>', `market makers (default ${DEFAULTS.demoMakers})`),
  new Option('--fills <count>', `fills a second, at most (default ${DEFAULTS.demoFills})`),
  new Option(
    '--funding-seconds <seconds>',
    `between two funding rates (default ${DEFAULTS.demoFundingSeconds})`,
  ),
];

/** How a recording is served. */
export const replayOptions = [
  new Option(
    '--speed <times>',
    `times faster than recorded, 0 without any pause (default ${DEFAULTS.replaySpeed})`,
  ),
];

/** What `verify` has. */
export const verifyOptions = [
  new Option('--url <url>', `where the service answers (default ${DEFAULTS.verifyUrl})`),
  new Option('--markets <names>', 'compare only these markets, comma-separated (default all)'),
  new Option('--log-level <level>', 'pino level, or silent (default warn)'),
  new Option('--seconds <seconds>', `longest time to compare (default ${DEFAULTS.verifySeconds})`),
];

/** What `backfill` takes beside the cluster. */
export const backfillOptions = [
  new Option('--from <end>', 'the older end: a time, unix seconds or a signature'),
  new Option('--to <end>', 'the newer end, likewise (default: the newest finalised transaction)'),
  new Option('--data-dir <folder>', `where the history is (default ${HISTORY_DEFAULTS.dataDir})`),
  new Option(
    '--history-requests-per-second <count>',
    `transactions asked of the node (default ${HISTORY_DEFAULTS.historyRequestsPerSecond})`,
  ),
];

/** What `follow` takes. */
export const followFlags = [
  new Option('--channel <name>', 'book, bbo or l3 (default book)'),
  new Option('--depth <rows>', 'rows a side: 10, 20, 50, 100 or 500 (default 20)'),
  new Option('--grouping <ticks>', 'ticks a group of the book (default 1)'),
  new Option('--maker <account>', 'only the orders of this user account, for l3'),
  new Option('--vamm', 'the levels of the AMM as well, for book and bbo'),
  new Option('--indicative', 'indicative quotes as well'),
  new Option('--seconds <seconds>', 'how long to follow (default until Ctrl-C)'),
  new Option('--plain', 'a line a second instead of a screen'),
];

/** What `match` takes: the parameters of /match. */
export const matchFlags = [
  new Option('--url <url>', `where the service answers (default ${DEFAULTS.verifyUrl})`),
  new Option('--side <side>', 'buy or sell'),
  new Option('--size <base>', 'base to fill: raw at 1e9, or with a point in units'),
  new Option('--quote <quote>', 'in its place, quote to spend or get: raw at 1e6, or with a point'),
  new Option('--order-type <type>', 'market or limit (default market)'),
  new Option('--limit-price <price>', 'the worst price: raw at 1e6, or with a point'),
  new Option('--post-only', 'the limit order only makes'),
  new Option('--reduce-only', 'the order only reduces --position'),
  new Option('--position <base>', 'the signed position'),
  new Option('--auction-start <price>', "price at the auction's start"),
  new Option('--auction-end <price>', 'price at its end'),
  new Option('--auction-duration <slots>', 'its slots'),
  new Option('--slots-elapsed <slots>', 'those that have passed (default 0)'),
  new Option(
    '--jit <price:size>',
    'offer of a competing maker in the auction; once for each',
  ).argParser((offer: string, before: readonly string[] = []) => [...before, offer]),
  new Option('--taker <account>', 'the user account that sends it, which does not meet its own'),
  new Option('--fee-tier <tier>', '0 to 5 (default 0)'),
  new Option('--referred', 'the taker was referred'),
  new Option('--model <name>', 'spec or onchain (default spec)'),
  new Option('--no-vamm', 'leave the AMM out'),
  new Option('--indicative', 'let indicative quotes compete in the auction'),
  new Option('--json', 'print the body as it is'),
];
