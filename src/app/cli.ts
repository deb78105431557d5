#!/usr/bin/env node
/**
 * The command line: `slotbook serve`, `demo`, `record FILE`, `replay FILE`, `backfill`, `verify`,
 * `follow URL MARKET`, `match MARKET`, and `slotbook` alone, which serves a cluster when one is named
 * and the demo otherwise. Standard output carries the URLs and the `ready` line, or what `verify`,
 * `follow` and `match` found; logs go to standard error.
 */
import { Command, Option } from 'commander';
import {
  AGGREGATOR_DEFAULTS,
  ConfigError,
  ConfigReader,
  DEFAULTS,
  type Flags,
  INDICATIVE_POLICY_DEFAULT,
} from '../config/config.js';
import { follow } from '../follow/follow.js';
import type { FollowFlags } from '../follow/follow-options.js';
import { match } from '../match/match.js';
import type { MatchFlags } from '../match/match-options.js';
import { runBackfill } from './backfills.js';
import {
  backfillOptions,
  clusterOptions,
  demoOptions,
  followFlags,
  historyOptions,
  matchFlags,
  replayOptions,
  verifyOptions,
} from './cli-options.js';
import {
  type Service,
  startDemoService,
  startReplayService,
  startService,
  verifyService,
} from './main.js';

/** What every served book has. */
const bookOptions = [
  new Option('--port <port>', `port to listen on, 0 for a free one (default ${DEFAULTS.port})`),
  new Option('--host <host>', `address to listen on (default ${DEFAULTS.host})`),
  new Option('--markets <names>', 'serve only these markets, comma-separated (default all)'),
  new Option('--log-level <level>', `pino level, or silent (default ${DEFAULTS.logLevel})`),
  new Option(
    '--lagging-after-ms <ms>',
    `without a slot for this long the book is lagging (default ${DEFAULTS.laggingAfterMs})`,
  ),
  new Option(
    '--stale-after-ms <ms>',
    `without a slot for this long the book is stale (default ${DEFAULTS.staleAfterMs})`,
  ),
  new Option('--metrics-port <port>', 'serve /metrics on this port instead of the main one'),
  new Option(
    '--metrics-host <host>',
    `address of the metrics port (default ${DEFAULTS.metricsHost})`,
  ),
  new Option(
    '--publish-interval-ms <ms>',
    `least time between two frames of a compatible channel (default ${DEFAULTS.publishIntervalMs})`,
  ),
  new Option(
    '--stream-interval-ms <ms>',
    `least time between two frames of a streaming channel (default ${DEFAULTS.streamIntervalMs})`,
  ),
  new Option(
    '--topics-per-ip <count>',
    `WebSocket topics of one address (default ${DEFAULTS.topicsPerIp})`,
  ),
  new Option(
    '--sockets-per-ip <count>',
    `WebSockets of one address (default ${DEFAULTS.socketsPerIp})`,
  ),
  new Option(
    '--messages-per-second <count>',
    `messages of one WebSocket (default ${DEFAULTS.messagesPerSecond})`,
  ),
  new Option('--requests-per-second <count>', 'HTTP requests of one address (default 0, no limit)'),
  new Option('--quote-makers <keys>', 'keys that may quote, comma-separated (default none)'),
  new Option(
    '--indicative-policy <word>',
    `join or improve: what quotes may do to the touch (default ${INDICATIVE_POLICY_DEFAULT})`,
  ),
];

const commonOptions = [
  ...bookOptions,
  ...historyOptions,
  new Option(
    '--audit-interval-ms <ms>',
    `time between two audits of the book, 0 for none (default ${DEFAULTS.auditIntervalMs})`,
  ),
  new Option('--aggregator-url <url>', 'quote API of a swap aggregator (default none)'),
  new Option('--aggregator-markets <names>', 'spot markets that it is asked for (default all)'),
  new Option(
    '--aggregator-sizes <list>',
    `sizes in whole quote that it is asked for (default ${AGGREGATOR_DEFAULTS.sizes})`,
  ),
  new Option(
    '--aggregator-interval-ms <ms>',
    `time between two readings of a market (default ${AGGREGATOR_DEFAULTS.intervalMs})`,
  ),
  new Option(
    '--aggregator-timeout-ms <ms>',
    `longest time of one request (default ${AGGREGATOR_DEFAULTS.timeoutMs})`,
  ),
  new Option(
    '--aggregator-max-age-ms <ms>',
    `older levels are left out (default ${AGGREGATOR_DEFAULTS.maxAgeMs})`,
  ),
  new Option(
    '--aggregator-requests-per-second <count>',
    `requests to it at most (default ${AGGREGATOR_DEFAULTS.requestsPerSecond})`,
  ),
];

/** Starts a command; what it does with a file is the command's. */
type Start = (flags: Flags, file?: string) => Promise<Service>;

const serve: Start = (flags, recordTo) =>
  startService(new ConfigReader(flags).service(), { recordTo });
const demo: Start = (flags, recordTo) =>
  startDemoService(new ConfigReader(flags).demo(), { recordTo });
const serveOrDemo: Start = (flags, recordTo) =>
  new ConfigReader(flags).hasCluster() ? serve(flags, recordTo) : demo(flags, recordTo);
const replay: Start = (flags, file = '') =>
  startReplayService(new ConfigReader(flags).replay(), file);

/** A wrong flag or setting, as opposed to a service that failed. */
const EXIT_WRONG_USAGE = 2;
/** A verification that found out nothing, a stream that could not be followed, no walk. */
const EXIT_NOT_COMPARED = 2;

function createProgram(): Command {
  const program = newCommand('slotbook').description(
    'Order book and market data of an on-chain exchange on Solana',
  );
  addCommand(program, {
    command: newCommand('serve').description('serve the book of a cluster'),
    options: [...commonOptions, ...clusterOptions],
    start: serve,
  });
  addCommand(program, {
    command: newCommand('demo').description('serve the book of a local chain with a moving market'),
    options: [...commonOptions, ...demoOptions],
    start: demo,
  });
  addCommand(program, {
    command: newCommand('record')
      .description('serve as without a command, and keep all that moves the book in a new file')
      .argument('<file>', 'where to: it must not be there yet'),
    options: [...commonOptions, ...clusterOptions, ...demoOptions],
    start: serveOrDemo,
  });
  addCommand(program, {
    command: newCommand('replay')
      .description('serve the book of a recording, as it was')
      .argument('<file>', 'what `record` has made'),
    options: [...bookOptions, ...replayOptions],
    start: replay,
  });
  program.addCommand(backfillCommand());
  program.addCommand(verifyCommand());
  program.addCommand(followCommand());
  program.addCommand(matchCommand());
  program.addCommand(defaultCommand(), { isDefault: true });
  return program;
}

/** Each command has these settings of its own; commander hands them down to none. */
function newCommand(name: string): Command {
  return new Command(name)
    .showHelpAfterError()
    .configureOutput({ outputError: (text, write) => write(withoutValues(text)) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_WRONG_USAGE));
}

/** A mistyped flag is named up to its value, which may hold an access key. */
function withoutValues(text: string): string {
  return text.replace(/'(--?[\w-]*)[^\n]*'/, "'$1'");
}

function defaultCommand(): Command {
  const command = newCommand('start').description('serve when --rpc-url is given, else demo');
  for (const option of [...commonOptions, ...clusterOptions, ...demoOptions]) {
    command.addOption(option);
  }
  return command.action((flags: Flags) => runUntilStopped(() => serveOrDemo(flags)));
}

function backfillCommand(): Command {
  const command = newCommand('backfill').description(
    'read older transactions into the history, which no service may have open meanwhile: exits with 0 when all are stored; stopped, it goes on from there',
  );
  for (const option of [...clusterOptions, ...backfillOptions]) command.addOption(option);
  return command.action(runBackfillCommand);
}

function verifyCommand(): Command {
  const command = newCommand('verify').description(
    'compare the orders of a running service, and their levels, with its chain: exits with 0 when they are equal, 1 when not',
  );
  for (const option of [...clusterOptions, ...verifyOptions]) command.addOption(option);
  return command.action(runVerification);
}

function followCommand(): Command {
  const command = newCommand('follow')
    .description('follow a live stream and check it: exits with 1 when it broke a rule')
    .argument('<url>', 'of a running service')
    .argument('<market>', 'a name, such as SOL-PERP');
  for (const option of followFlags) command.addOption(option);
  return command.action(runFollow);
}

function matchCommand(): Command {
  const command = newCommand('match')
    .description(
      'ask a running service what an order would get: exits with 1 when nothing would fill or rest',
    )
    .argument('<market>', 'a name, such as SOL-PERP');
  for (const option of matchFlags) command.addOption(option);
  return command.action((market: string, flags: MatchFlags) =>
    exitBy(() => match({ market, flags, output: process.stdout })),
  );
}

function addCommand(
  program: Command,
  { command, options, start }: { command: Command; options: readonly Option[]; start: Start },
): void {
  for (const option of options) command.addOption(option);
  const takesFile = command.registeredArguments.length > 0;
  const run = takesFile
    ? (file: string, flags: Flags) => runUntilStopped(() => start(flags, file))
    : (flags: Flags) => runUntilStopped(() => start(flags));
  program.addCommand(command.action(run));
}

async function runUntilStopped(start: () => Promise<Service>): Promise<void> {
  try {
    const stopping = new Promise<NodeJS.Signals>((resolve) => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
    const service = await Promise.race([start(), stopping]);
    if (typeof service === 'string') process.exit(0);
    const failure = await Promise.race([stopping, service.failed]);
    await service.stop();
    if (failure instanceof Error) throw failure;
    process.exit(0);
  } catch (error) {
    const isSetting = error instanceof ConfigError;
    process.stderr.write(`slotbook: ${textOf(error)}\n`);
    process.exit(isSetting ? EXIT_WRONG_USAGE : 1);
  }
}

function runVerification(flags: Flags): Promise<void> {
  return exitBy(() => verifyService(new ConfigReader(flags).verify()));
}

function runBackfillCommand(flags: Flags): Promise<void> {
  const stop = stopSignal();
  return exitBy(() => runBackfill(flags, { output: process.stdout, stop }));
}

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

function runFollow(url: string, market: string, flags: FollowFlags): Promise<void> {
  const run = { url, market, flags, output: process.stdout, stop: stopSignal() };
  return exitBy(() => follow(run));
}

/** What cannot be judged is neither right nor wrong: it is told apart by its own status. */
async function exitBy(judge: () => Promise<boolean>): Promise<void> {
  try {
    process.exit((await judge()) ? 0 : 1);
  } catch (error) {
    process.stderr.write(`slotbook: ${textOf(error)}\n`);
    process.exit(EXIT_NOT_COMPARED);
  }
}

/** The message, behind the code where the message of a setting does not say as much. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && !(error instanceof ConfigError) ? `${error.code}: ` : '';
  return `${code}${error.message}`;
}

// A reader that has seen enough (`| head -1`) takes nothing from those who ask over HTTP.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
await createProgram().parseAsync();
