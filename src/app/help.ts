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

const NODE = 'https://node.example';
const SERVICE = 'http://127.0.0.1:8080';

/** The headings of commands in the help, and examples of the arguments of each command. */
const EXAMPLES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'Serve a book:': {
    start: ['', '--port 9000', `--rpc-url ${NODE}`],
    serve: [
      `--rpc-url ${NODE}`,
      `--rpc-url ${NODE} --fallback-rpc-url https://other.example --data-dir data --journal`,
      `--rpc-url ${NODE} --markets SOL-PERP,BTC-PERP --host 0.0.0.0 --metrics-port 9100`,
    ],
    demo: ['', '--markets-preset mainnet --rate 20', '--seed 7 --port 0 --program velocity'],
    core: [
      `--rpc-url ${NODE} --nats nats://127.0.0.1:4222`,
      `--rpc-url ${NODE} --nats nats://a:4222,nats://b:4222 --nats-replicas 3`,
      `--rpc-url ${NODE} --nats nats://127.0.0.1:4222 --history-url postgres://127.0.0.1/slotbook`,
    ],
    edge: [
      '--nats nats://127.0.0.1:4222',
      '--nats nats://127.0.0.1:4222 --port 9000 --away-after-ms 5000',
      '--nats nats://127.0.0.1:4222 --history-read-url postgres://127.0.0.1/slotbook',
    ],
    record: ['folder', `folder --rpc-url ${NODE}`, 'folder --seed 7'],
    replay: ['data', 'data --speed 10', 'data --at 2026-11-01T12:00Z'],
  },
  'Ask a service:': {
    follow: [
      `${SERVICE} SOL-PERP`,
      `${SERVICE} SOL-PERP --channel l3 --depth 50`,
      `${SERVICE} SOL-PERP --seconds 60 --plain`,
    ],
    match: [
      'SOL-PERP --side buy --size 250',
      'SOL-PERP --side sell --quote 10000 --no-vamm',
      `BTC-PERP --side buy --size 1 --order-type limit --limit-price 95000 --url ${SERVICE}`,
    ],
  },
  'Judge a node or a service:': {
    check: [
      NODE,
      `${NODE} --seconds 60 --json`,
      `http://127.0.0.1:8899 --ws-url ws://127.0.0.1:8900`,
    ],
    verify: [
      `--url ${SERVICE} --rpc-url ${NODE}`,
      `--url ${SERVICE} --rpc-url ${NODE} --markets SOL-PERP --seconds 60`,
      '--journal data',
    ],
    load: [SERVICE, `${SERVICE} --readers 1000 --seconds 60`, `${SERVICE} --pollers 50 --rate 20`],
    conform: [SERVICE, `${SERVICE} --market SOL-PERP --seconds 60`, `${SERVICE} --json`],
    shadow: [
      '--against https://dlob.example --markets SOL-PERP',
      `--against https://dlob.example --rpc-url ${NODE} --for 1h --html shadow.html`,
      `--against http://127.0.0.1:9090 --slotbook --url ${SERVICE} --json`,
    ],
    sources: [SERVICE, `${SERVICE} --plain`, `${SERVICE} --json`],
  },
  'Work on stored data:': {
    prove: [
      'data --slot 350000000',
      'data --slot 350000000 --parts SOL-PERP',
      'data --slot 350000000 --json',
    ],
    export: [
      'data --market SOL-PERP',
      'data --market SOL-PERP --channel trades --format parquet --out trades.parquet',
      'data --market SOL-PERP --from 2026-11-01T12:00 --out - --format jsonl',
    ],
    backfill: [
      `--rpc-url ${NODE} --data-dir data --from 2026-11-01`,
      `--rpc-url ${NODE} --data-dir data --from 2026-11-01 --to 2026-11-02`,
      `--rpc-url ${NODE} --data-dir data --from 2026-11-01 --history-requests-per-second 40`,
    ],
    'copy-history': ['data/HASH.db --history-url postgres://127.0.0.1/slotbook'],
  },
};

/** Adds the heading and the examples of a command to its help. */
export function addHelp(command: Command): Command {
  const name = command.name();
  for (const [heading, { [name]: examples }] of Object.entries(EXAMPLES)) {
    if (examples === undefined) continue;
    const lines = examples.map((words) => `  slotbook ${name} ${words}`.trimEnd());
    command.helpGroup(heading).addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
  }
  return command;
}
