#!/usr/bin/env node
/**
 * The command line. `slotbook` alone serves a cluster when one is named and the demo otherwise.
 * Standard output has the URLs and the `ready` line, or the results of a command; logs go to
 * standard error.
 */
import { inspect } from 'node:util';
import { Command } from 'commander';
import { readBuildInfo } from '../config/build-info.js';
import { ConfigReader } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { secrets } from '../config/secrets.js';
import type { Flags } from '../config/setting-reader.js';
import { type ConformFlags, conform } from '../follow/conform.js';
import { follow } from '../follow/follow.js';
import type { FollowFlags } from '../follow/follow-options.js';
import { load } from '../load/load.js';
import type { LoadFlags } from '../load/load-options.js';
import { match } from '../match/match.js';
import type { MatchFlags } from '../match/match-options.js';
import { loggedFailure } from '../rpc/error.js';
import { type SourcesFlags, showSources } from '../sources/sources.js';
import { runBackfill } from './backfill-command.js';
import type { Service } from './book-service.js';
import { runCheck } from './check-command.js';
import { OPTIONS } from './cli-options.js';
import { copyHistory } from './copy-command.js';
import { makeEmptyFolder } from './data-folder.js';
import { type ExportFlags, exportRows } from './export-command.js';
import { addHelp } from './help.js';
import { type ProveFlags, proveBooks, verifyJournalFolder } from './journal-commands.js';
import { verifyEvidence, verifySignedLog, writeSigningKey } from './proof-commands.js';
import { runShadow } from './shadow-command.js';
import {
  startCoreService,
  startDemoService,
  startEdgeService,
  startReplayService,
  startService,
  verifyService,
} from './start-service.js';

/** Exit code for an invalid flag or setting. */
const EXIT_WRONG_USAGE = 2;
/** Exit code of a command without a result: a verification, a stream or a simulated order. */
const EXIT_NO_RESULT = 2;

/** Starts the service of a command; `folder` is its argument, if any. */
type Start = (flags: Flags, folder?: string) => Promise<Service>;

const serve: Start = (flags, recordTo) =>
  startService(new ConfigReader(flags).readService(), { recordTo });
const demo: Start = (flags, recordTo) =>
  startDemoService(new ConfigReader(flags).readDemo(), { recordTo });
const core: Start = (flags) => startCoreService(new ConfigReader(flags).readCore());
const edge: Start = (flags) => startEdgeService(new ConfigReader(flags).readEdge());
const serveOrDemo: Start = (flags, recordTo) =>
  new ConfigReader(flags).hasCluster() ? serve(flags, recordTo) : demo(flags, recordTo);
const replay: Start = (flags, folder = '') =>
  startReplayService(new ConfigReader(flags).readReplay(), folder);

/**
 * Returns the command line of the program. `slotbook` alone, or with flags only, is the command
 * `start`; an unknown word is rejected with the nearest command.
 */
function createProgram(words: readonly string[]): Command {
  const program = newCommand('slotbook')
    .description('Order book and market data of Drift v2 on Solana')
    .version(versionText(), '--version', 'print name, version and commit')
    .addCommand(
      newCommand('serve')
        .description('serve the book of a cluster')
        .action((flags: Flags) => runUntilStopped(() => serve(flags))),
    )
    .addCommand(
      newCommand('demo')
        .description('serve the book of a local chain with a moving market')
        .action((flags: Flags) => runUntilStopped(() => demo(flags))),
    )
    .addCommand(
      newCommand('core')
        .description('follow a cluster for edges: write what moves its book into a log on NATS')
        .action((flags: Flags) => runUntilStopped(() => core(flags))),
    )
    .addCommand(
      newCommand('edge')
        .description('serve the book of a core, by its log on NATS')
        .action((flags: Flags) => runUntilStopped(() => edge(flags))),
    )
    .addCommand(
      newCommand('record')
        .description('serve as `start` does, and record all that moves the book in a new journal')
        .argument('<folder>', 'its folder, which is new or empty')
        .action((folder: string, flags: Flags) =>
          runUntilStopped(async () => {
            // Before the demo starts a chain.
            makeEmptyFolder(folder);
            return serveOrDemo(flags, folder);
          }),
        ),
    )
    .addCommand(
      newCommand('replay')
        .description('serve the book of a journal, as it was')
        .argument('<folder>', 'of a journal, or of the data of a service')
        .action((folder: string, flags: Flags) => runUntilStopped(() => replay(flags, folder))),
    );
  for (const command of toolCommands()) program.addCommand(command);
  const start = newCommand('start')
    .description('serve when --rpc-url is given, else demo')
    .action((flags: Flags) => runUntilStopped(() => serveOrDemo(flags)));
  const isDefault = words[0] === undefined || words[0].startsWith('-');
  return program.addCommand(start, { isDefault });
}

function historyCommands(): readonly Command[] {
  return [
    newCommand('backfill')
      .description(
        'read older transactions into the history, which no service may have open meanwhile: exits with 0 when all are stored; stopped, it goes on from there',
      )
      .action((flags: Flags) => exitByRun((run) => runBackfill(flags, run))),
    newCommand('copy-history')
      .description(
        'copy the file of a history, which no service may have open, into the Postgres database of --history-url, which has none yet',
      )
      .argument('<file>', 'below a --data-dir, named by the genesis hash of its chain')
      .action((file: string, flags: Flags) =>
        exitByResult(() => copyHistory(file, flags, process.stdout)),
      ),
  ];
}

/** Returns the commands that end with an exit code of their own. */
function toolCommands(): readonly Command[] {
  return [...historyCommands(), ...judgingCommands(), ...readingCommands()];
}

function judgingCommands(): readonly Command[] {
  return [
    newCommand('check')
      .description(
        'say whether a node is good enough for a service, and what it costs a day: exits with 0 when it is, 1 when not',
      )
      .argument('<url>', 'HTTP address of a Solana RPC node')
      .action((url: string, flags: Flags) =>
        exitByResult(() => runCheck({ url, flags, output: process.stdout })),
      ),
    newCommand('verify')
      .description(
        'compare the orders of a running service, and their levels, with its chain, or check a journal: exits with 0 when they are equal and it is sound, 1 when not',
      )
      .action(({ journal, json, ...flags }: Flags) =>
        exitByResult(() => {
          const { evidence, log } = flags;
          const isJson = json === true;
          const output = process.stdout;
          if (typeof evidence === 'string') return verifyEvidence(evidence, output, isJson);
          if (log !== undefined) return verifySignedLog({ journal, json, ...flags }, output);
          return typeof journal === 'string'
            ? verifyJournalFolder(journal, output, isJson)
            : verifyService(new ConfigReader(flags).readVerify(), isJson);
        }),
      ),
    newCommand('conform')
      .description(
        'judge the rules of docs/streaming-rules.md and docs/api.md on a running service: exits with 1 when one was broken',
      )
      .argument('<url>', 'of a running service')
      .action((url: string, flags: ConformFlags) =>
        exitByRun((run) => conform({ url, flags, ...run })),
      ),
    newCommand('shadow')
      .description(
        'compare a running service with your present server, and both with the chain of --rpc-url: exits with 1 when the service was wrong',
      )
      .action((flags: Flags) => exitByRun((run) => runShadow(flags, run))),
    newCommand('sources')
      .description(
        'draw the streams that a running service merges: exits with 1 when one of them is distrusted or away',
      )
      .argument('<url>', 'of a running service')
      .action((url: string, flags: SourcesFlags) =>
        exitByRun((run) => showSources({ url, flags, ...run })),
      ),
    newCommand('load')
      .description(
        'load a running service with readers and pollers that check what they get: exits with 1 when anything was wrong',
      )
      .argument('<url>', 'of a running service')
      .action((url: string, flags: LoadFlags) => exitByRun((run) => load({ url, flags, ...run }))),
  ];
}

function readingCommands(): readonly Command[] {
  return [
    newCommand('prove')
      .description(
        "print the hash of each market's book at a slot of a journal: services that read the same chain print the same",
      )
      .argument('<folder>', 'of a journal, or of the data of a service')
      .action((folder: string, flags: ProveFlags) =>
        exitByResult(() => proveBooks(folder, flags, process.stdout)),
      ),
    newCommand('keygen')
      .description(
        'write a key that signs the log of the books to a file, and print the key that checks it',
      )
      .argument('<name>', "the log's name, such as book.example.com/log")
      .argument('<file>', 'a new file, which nobody else may read')
      .action((name: string, file: string) =>
        exitByResult(async () => writeSigningKey(name, file, process.stdout)),
      ),
    newCommand('export')
      .description(
        'write the levels, the orders or the trades of a market to a file for other tools',
      )
      .argument('<folder>', 'of a journal, or of the data of a service')
      .action((folder: string, flags: ExportFlags) =>
        exitByRun(({ stop }) => exportRows(folder, flags, stop)),
      ),
    newCommand('follow')
      .description('follow a live stream and check it: exits with 1 when it broke a rule')
      .argument('<url>', 'of a running service')
      .argument('<market>', 'a name, such as SOL-PERP')
      .action((url: string, market: string, flags: FollowFlags) =>
        exitByRun((run) => follow({ url, market, flags, ...run })),
      ),
    newCommand('match')
      .description(
        'ask a running service what an order would get: exits with 1 when nothing would fill or rest',
      )
      .argument('<market>', 'a name, such as SOL-PERP')
      .action((market: string, flags: MatchFlags) =>
        exitByResult(() => match({ market, flags, output: process.stdout })),
      ),
  ];
}

/** Returns a command with its options. Usage errors are one line on standard error. */
function newCommand(name: keyof typeof OPTIONS | 'slotbook'): Command {
  const [words, options] = name === 'slotbook' ? [name, []] : [`slotbook ${name}`, OPTIONS[name]];
  const command = addHelp(new Command(name))
    .configureOutput({ outputError: (text, write) => write(usageErrorLine(text, words)) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_WRONG_USAGE));
  for (const option of options) command.addOption(option);
  return command;
}

/** Names a mistyped flag without its value, which may contain an access key, and the help. */
function usageErrorLine(text: string, command: string): string {
  const line = secrets.mask(text.trim()).replace(/'(--?[\w-]*)[^\n]*'/, "'$1'");
  return `${line.replace(/\s*\n\s*/g, ' ').replace(/\.$/, '')}; see ${command} --help\n`;
}

/** Splits `--flag=value` into two words, so that the nearest flag is found. */
function separateValues(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  const flags = end === -1 ? words : words.slice(0, end);
  const separate = flags.flatMap((word) => {
    const [, flag, value] = /^(--[\w-]+)=([\s\S]*)$/.exec(word) ?? [];
    return flag === undefined || value === undefined ? [word] : [flag, value];
  });
  return [...separate, ...words.slice(flags.length)];
}

function versionText(): string {
  const { name, version, commit } = readBuildInfo();
  return commit === null ? `${name} ${version}` : `${name} ${version} (${commit.slice(0, 12)})`;
}

/** The signals that stop a command in order; a second one ends it. A closing terminal sends SIGHUP. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

async function runUntilStopped(start: () => Promise<Service>): Promise<void> {
  try {
    const stopping = new Promise<NodeJS.Signals>((resolve) => {
      for (const signal of STOP_SIGNALS) process.once(signal, resolve);
    });
    const service = await Promise.race([start(), stopping]);
    if (typeof service === 'string') process.exit(0);
    const failure = await Promise.race([stopping, service.failed]);
    await service.stop();
    if (failure instanceof Error) throw failure;
    process.exit(0);
  } catch (error) {
    const isSetting = error instanceof ConfigError;
    printFailure(error);
    process.exit(isSetting ? EXIT_WRONG_USAGE : 1);
  }
}

/** What a command that ends by itself gets: its output, and the end that a signal asks for. */
interface StoppableRun {
  readonly output: NodeJS.WriteStream;
  readonly stop: AbortSignal;
}

/** As `exitByResult`, for a run that a signal stops. */
function exitByRun(begin: (run: StoppableRun) => Promise<boolean>): Promise<void> {
  const stopping = new AbortController();
  for (const signal of STOP_SIGNALS) process.once(signal, () => stopping.abort());
  // The reader of the output has left (`| head -1`).
  process.stdout.once('error', () => stopping.abort());
  const run = { output: process.stdout, stop: stopping.signal };
  return exitByResult(() => begin(run));
}

/** Exits with 0 for true and 1 for false. A run without a result has an exit code of its own. */
async function exitByResult(run: () => Promise<boolean>): Promise<void> {
  try {
    process.exit((await run()) ? 0 : 1);
  } catch (error) {
    printFailure(error);
    process.exit(EXIT_NO_RESULT);
  }
}

/**
 * Prints an error's message after its code, and its causes; an error of a setting is printed
 * without its code.
 */
function printFailure(error: unknown): void {
  const hasCode = error instanceof Error && 'code' in error && !(error instanceof ConfigError);
  const code = hasCode ? `${error.code}: ` : '';
  // The system's errors begin with their code.
  const text = loggedFailure(error);
  const line = text.startsWith(code) ? text : code + text;
  process.stderr.write(`slotbook: ${secrets.mask(line)}\n`);
}

// A closed pipe (`| head -1`) must not end the HTTP service.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
// Node would print an uncaught error without masking secrets.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${secrets.mask(inspect(error))}\n`);
  process.exit(1);
});
const words = separateValues(process.argv.slice(2));
// Also those of commands without settings, and of mistyped ones; an address may have a slip.
const addresses = words.filter((word) => /@|[:/]\//.test(word));
const listed = addresses.join('\n').match(/\w+:\/\/[^\s,]+/g) ?? [];
for (const address of [...addresses, ...listed.filter((part) => URL.canParse(part))])
  secrets.addAddress(address);
await createProgram(words).parseAsync(words, { from: 'user' });
