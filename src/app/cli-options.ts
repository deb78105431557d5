/** The options of the commands; the table of settings defines the options of settings. */

import { Option } from 'commander';
import type { Setting, SettingGroup } from '../config/setting-kinds.js';
import { defaultText, flagOf, SETTINGS, type SettingName, settingsOf } from '../config/settings.js';
import { headingOf } from './help.js';

/** Returns the options of all settings in these groups. */
function groupOptions(...groups: readonly SettingGroup[]): readonly Option[] {
  return settingsOf(...groups).map((name) => settingOption(name));
}

/** Returns the option of one setting; `shown` replaces its displayed default. */
function settingOption(name: SettingName, shown?: string): Option {
  const setting: Setting = SETTINGS[name];
  if (setting.kind === 'off' || setting.kind === 'on')
    return new Option(flagOf(name), setting.text).helpGroup(headingOf(name));
  const text = `${setting.text} (default ${shown ?? defaultText(setting)})`;
  return new Option(`${flagOf(name)} <${setting.value}>`, text).helpGroup(headingOf(name));
}

/** The results as one JSON object, for scripts. */
const jsonOption = new Option('--json', 'print one JSON object');

const liveGroups: readonly SettingGroup[] = [
  'book',
  'history',
  'database',
  'journal',
  'audit',
  'aggregator',
];

/** Options of a cluster's signed log. */
const signedOptions = [settingOption('signingKey'), settingOption('dataDir')];

/** The options of the commands, by the names of the commands. */
export const OPTIONS = {
  serve: groupOptions('cluster', ...liveGroups),
  core: [
    ...groupOptions('cluster', 'log', 'core', 'book', 'audit', 'aggregator', 'database'),
    settingOption('retain'),
    settingOption('candleRetentionDays'),
    settingOption('backfillHours'),
    settingOption('backfillTransactions'),
    settingOption('historyRequestsPerSecond'),
    ...signedOptions,
  ],
  edge: [
    ...groupOptions('log', 'edge', 'book', 'database'),
    settingOption('program'),
    settingOption('programId'),
    ...signedOptions,
  ],
  demo: [...groupOptions('demo'), settingOption('program'), ...groupOptions(...liveGroups)],
  /** Serves a cluster or, without one, the demo. */
  start: groupOptions('cluster', 'demo', ...liveGroups),
  /** The journal has fixed settings. */
  record: groupOptions('cluster', 'demo', ...liveGroups.filter((group) => group !== 'journal')),
  replay: [settingOption('program'), ...groupOptions('replay', 'book')],
  /** Logs only warnings. The folder is an argument of one run, not a setting. */
  verify: [
    ...groupOptions('cluster', 'verify'),
    settingOption('markets'),
    settingOption('logLevel', 'warn'),
    new Option('--journal <folder>', 'read a whole journal in its place, and check it'),
    new Option('--log <url>', 'check the signed log of a service, with --journal its leaves'),
    new Option('--key <key>', 'the key of the log, NAME+ID+KEY, as `keygen` printed it'),
    new Option('--kept <file>', 'what was seen of the log (default slotbook-log.checkpoint)'),
    new Option('--other <url>', 'compare the books with those of another service that signs'),
    new Option('--other-key <key>', 'the key of its log'),
    new Option('--evidence <file>', 'check the file of a PROOF_FAILED, without a service'),
    jsonOption,
  ],
  /** The node's other address, its program, and what a day depends on. */
  check: [
    settingOption('wsUrl'),
    settingOption('program'),
    settingOption('programId'),
    settingOption('probeIntervalMs'),
    settingOption('auditIntervalMs'),
    settingOption('noHistory'),
    new Option('--seconds <seconds>', 'how long the subscriptions are watched (default 10)'),
    jsonOption,
  ],
  keygen: [],
  prove: [
    new Option(
      '--slot <slot>',
      'the book after the last turn up to this slot',
    ).makeOptionMandatory(),
    new Option('--parts <market>', 'the hashes of what this market holds, and of each order'),
    jsonOption,
  ],
  export: [
    new Option('--market <market>', 'a name, such as SOL-PERP').makeOptionMandatory(),
    new Option('--channel <channel>', 'book (levels), trades or orders (default book)'),
    new Option(
      '--format <format>',
      'tardis-csv, parquet or jsonl (default tardis-csv; of orders there are parquet, their default, and jsonl)',
    ),
    new Option(
      '--from <time>',
      'the first time, such as 2026-11-01T12:00, in UTC without a zone (default: all that is kept)',
    ),
    new Option('--to <time>', 'the last time, likewise'),
    new Option(
      '--out <file>',
      'the file, or - for standard output (default: the name of the market and the format)',
    ),
    jsonOption,
  ],
  /** The two ends of a back-fill are arguments of one run, not settings. */
  backfill: [
    ...groupOptions('cluster'),
    new Option('--from <end>', 'the older end: a time, unix seconds or a signature'),
    new Option('--to <end>', 'the newer end, likewise (default: the newest finalised transaction)'),
    settingOption('dataDir'),
    settingOption('historyUrl'),
    settingOption('historyRequestsPerSecond'),
  ],
  'copy-history': [settingOption('historyUrl')],
  follow: [
    new Option('--channel <name>', 'book, bbo or l3 (default book)'),
    new Option('--depth <rows>', 'rows a side: 10, 20, 50, 100 or 500 (default 20)'),
    new Option('--grouping <ticks>', 'ticks a group of the book (default 1)'),
    new Option('--maker <account>', 'only the orders of this user account, for l3'),
    new Option('--vamm', 'the levels of the AMM as well, for book and bbo'),
    new Option('--indicative', 'indicative quotes as well'),
    new Option('--seconds <seconds>', 'how long to follow (default until Ctrl-C)'),
    new Option('--plain', 'a line a second instead of a screen'),
    jsonOption,
  ],
  conform: [
    new Option('--market <name>', 'the market to follow (default: the first of /markets)'),
    new Option('--seconds <seconds>', 'how long the streams are followed (default 30)'),
    jsonOption,
  ],
  /** Those of a chain are for the judgement. */
  shadow: [
    new Option('--against <url>', 'address of the other server').makeOptionMandatory(),
    new Option('--dlob', 'it is a Drift v2 dlob-server (the default)').conflicts('slotbook'),
    new Option('--slotbook', 'it is a slotbook'),
    new Option('--for <time>', 'how long, such as 30s, 1m, 2h or 1d (default 1m)'),
    new Option('--html <file>', 'write the result as a page too'),
    settingOption('url'),
    settingOption('markets'),
    ...groupOptions('cluster'),
    settingOption('logLevel', 'warn'),
    jsonOption,
  ],
  sources: [new Option('--plain', 'the table once instead of a screen'), jsonOption],
  load: [
    new Option(
      '--readers <count>',
      'readers of the streaming channel, one socket each (default 100)',
    ),
    new Option('--compatible <count>', 'readers of the compatible channel, likewise (default 0)'),
    new Option('--pollers <count>', 'clients that ask for /l2 (default 10)'),
    new Option('--rate <requests>', 'of each of them a second (default 10)'),
    new Option('--markets <names>', 'such as SOL-PERP,BTC-PERP (default all)'),
    new Option('--depth <levels>', 'a side: 10, 20, 50, 100 or 500 (default 20)'),
    new Option('--seconds <seconds>', 'how long (default 30)'),
    jsonOption,
  ],
  /** The parameters of /match. */
  match: [
    settingOption('url'),
    new Option('--side <side>', 'buy or sell'),
    new Option('--size <base>', 'base to fill, in units: 250 is 250 SOL'),
    new Option('--quote <quote>', 'in its place, quote to spend or get, in units'),
    new Option('--order-type <type>', 'market or limit (default market)'),
    new Option('--limit-price <price>', 'the worst price, in units of quote'),
    new Option('--post-only', 'the limit order only makes'),
    new Option('--reduce-only', 'the order only reduces --position'),
    new Option('--position <base>', 'the signed position, in units of base'),
    new Option('--auction-start <price>', "price at the auction's start, in units"),
    new Option('--auction-end <price>', 'price at its end, in units'),
    new Option('--auction-duration <slots>', 'its slots'),
    new Option('--slots-elapsed <slots>', 'those that have passed (default 0)'),
    new Option(
      '--jit <price:size>',
      'offer of a competing maker in the auction, both in units; once for each',
    ).argParser((offer: string, before: readonly string[] = []) => [...before, offer]),
    new Option('--taker <account>', 'the user account that sends it, which does not meet its own'),
    new Option('--fee-tier <tier>', '0 to 5 (default 0)'),
    new Option('--referred', 'the taker was referred'),
    new Option('--model <name>', 'spec or onchain (default spec)'),
    new Option('--no-vamm', 'leave the AMM out'),
    new Option('--indicative', 'let indicative quotes compete in the auction'),
    new Option('--raw', 'every fill, with its key and the raw integers of all amounts'),
    new Option('--json', 'print the body as it is'),
  ],
} as const satisfies Readonly<Record<string, readonly Option[]>>;
