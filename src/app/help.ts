/** The help of the command line: groups of options and of commands, and examples. */
import type { Command } from 'commander';
import type { SettingGroup } from '../config/setting-kinds.js';
import { SETTINGS, type SettingName } from '../config/settings.js';

/** The headings of the groups of settings. */
const HEADINGS: Readonly<Record<SettingGroup, string>> = {
  cluster: 'Chain:',
  book: 'Serve:',
  history: 'History:',
  database: 'History:',
  journal: 'Journal:',
  audit: 'Audits and probes:',
  aggregator: 'External venue:',
  log: 'Log on NATS:',
  core: 'Log on NATS:',
  edge: 'Log on NATS:',
  demo: 'Demo:',
  replay: 'Replay:',
  verify: 'Compare:',
};

/** The settings of `book` that bound its clients. */
const LIMITED: ReadonlySet<SettingName> = new Set([
  'topicsPerSocket',
  'topicsPerIp',
  'topicsMax',
  'socketsPerIp',
  'messagesPerSecond',
  'messageBurst',
  'socketBacklogMegabytes',
  'requestsPerSecond',
]);

/** Returns the heading under which the help lists a setting. */
export function headingOf(name: SettingName): string {
  return LIMITED.has(name) ? 'Limits of clients:' : HEADINGS[SETTINGS[name].group];
}

/** A command in the help: its heading, and three examples of its arguments. */
interface CommandHelp {
  readonly heading: string;
  readonly examples: readonly string[];
}

const SERVE = 'Serve a book:';
const ASK = 'Ask a service:';
const JUDGE = 'Judge a node or a service:';
const STORED = 'Work on stored data:';
const NODE = 'https://node.example';
const SERVICE = 'http://127.0.0.1:8080';

const COMMANDS: Readonly<Record<string, CommandHelp>> = {
  start: { heading: SERVE, examples: ['', '--port 9000', `--rpc-url ${NODE}`] },
  serve: {
    heading: SERVE,
    examples: [
      `--rpc-url ${NODE}`,
      `--rpc-url ${NODE} --fallback-rpc-url https://other.example --data-dir data --journal`,
      `--rpc-url ${NODE} --markets SOL-PERP,BTC-PERP --host 0.0.0.0 --metrics-port 9100`,
    ],
  },
  demo: {
    heading: SERVE,
    examples: ['', '--markets-preset mainnet --rate 20', '--seed 7 --port 0 --program velocity'],
  },
  core: {
    heading: SERVE,
    examples: [
      `--rpc-url ${NODE} --nats nats://127.0.0.1:4222`,
      `--rpc-url ${NODE} --nats nats://a:4222,nats://b:4222 --nats-replicas 3`,
      `--rpc-url ${NODE} --nats nats://127.0.0.1:4222 --history-url postgres://127.0.0.1/slotbook`,
    ],
  },
  edge: {
    heading: SERVE,
    examples: [
      '--nats nats://127.0.0.1:4222',
      '--nats nats://127.0.0.1:4222 --port 9000 --away-after-ms 5000',
      '--nats nats://127.0.0.1:4222 --history-read-url postgres://127.0.0.1/slotbook',
    ],
  },
  record: { heading: SERVE, examples: ['folder', `folder --rpc-url ${NODE}`, 'folder --seed 7'] },
  replay: {
    heading: SERVE,
    examples: ['data', 'data --speed 10', 'data --at 2026-11-01T12:00Z'],
  },
  check: {
    heading: JUDGE,
    examples: [
      NODE,
      `${NODE} --seconds 60 --json`,
      `http://127.0.0.1:8899 --ws-url ws://127.0.0.1:8900`,
    ],
  },
  verify: {
    heading: JUDGE,
    examples: [
      `--url ${SERVICE} --rpc-url ${NODE}`,
      `--url ${SERVICE} --rpc-url ${NODE} --markets SOL-PERP --seconds 60`,
      '--journal data',
    ],
  },
  load: {
    heading: JUDGE,
    examples: [
      SERVICE,
      `${SERVICE} --readers 1000 --seconds 60`,
      `${SERVICE} --pollers 50 --rate 20`,
    ],
  },
  conform: {
    heading: JUDGE,
    examples: [SERVICE, `${SERVICE} --market SOL-PERP --seconds 60`, `${SERVICE} --json`],
  },
  shadow: {
    heading: JUDGE,
    examples: [
      '--against https://dlob.example --markets SOL-PERP',
      `--against https://dlob.example --rpc-url ${NODE} --for 1h --html shadow.html`,
      `--against http://127.0.0.1:9090 --slotbook --url ${SERVICE} --json`,
    ],
  },
  sources: { heading: JUDGE, examples: [SERVICE, `${SERVICE} --plain`, `${SERVICE} --json`] },
  prove: {
    heading: STORED,
    examples: [
      'data --slot 350000000',
      'data --slot 350000000 --parts SOL-PERP',
      'data --slot 350000000 --json',
    ],
  },
  follow: {
    heading: ASK,
    examples: [
      `${SERVICE} SOL-PERP`,
      `${SERVICE} SOL-PERP --channel l3 --depth 50`,
      `${SERVICE} SOL-PERP --seconds 60 --plain`,
    ],
  },
  match: {
    heading: ASK,
    examples: [
      'SOL-PERP --side buy --size 250',
      'SOL-PERP --side sell --quote 10000 --no-vamm',
      `BTC-PERP --side buy --size 1 --order-type limit --limit-price 95000 --url ${SERVICE}`,
    ],
  },
  export: {
    heading: STORED,
    examples: [
      'data --market SOL-PERP',
      'data --market SOL-PERP --channel trades --format parquet --out trades.parquet',
      'data --market SOL-PERP --from 2026-11-01T12:00 --out - --format jsonl',
    ],
  },
  backfill: {
    heading: STORED,
    examples: [
      `--rpc-url ${NODE} --data-dir data --from 2026-11-01`,
      `--rpc-url ${NODE} --data-dir data --from 2026-11-01 --to 2026-11-02`,
      `--rpc-url ${NODE} --data-dir data --from 2026-11-01 --history-requests-per-second 40`,
    ],
  },
  'copy-history': {
    heading: STORED,
    examples: ['data/HASH.db --history-url postgres://127.0.0.1/slotbook'],
  },
};

/** Adds the heading and the examples of a command to its help. */
export function addHelp(command: Command): Command {
  const help = COMMANDS[command.name()];
  if (help === undefined) return command;
  const lines = help.examples.map((words) => `  slotbook ${command.name()} ${words}`.trimEnd());
  return command.helpGroup(help.heading).addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
