/**
 * Every setting and default of the service, and the only reader of the environment.
 *
 * A flag wins over its environment variable, which wins over the default. Nothing is read at import
 * time: `readConfig` takes the flags and the environment and returns checked values, or throws a
 * ConfigError that names the setting.
 */
import { type AggregatorConfig, readAggregator } from './config-aggregator.js';
import { invalid, missing, outOfRange } from './config-error.js';
import { HISTORY_DEFAULTS, type HistoryConfig, readHistoryConfig } from './config-history.js';
import { type QuotesConfig, readQuotesConfig } from './config-quotes.js';
import { LIMITS } from './limits.js';
import { isPublicKey } from './public-key.js';
import { type Environment, type Flags, type Range, SettingReader } from './setting-reader.js';

export { AGGREGATOR_DEFAULTS, type AggregatorConfig } from './config-aggregator.js';
export { ConfigError } from './config-error.js';
export { HISTORY_DEFAULTS, type HistoryConfig } from './config-history.js';
export { INDICATIVE_POLICY_DEFAULT } from './config-quotes.js';
export type { Environment, Flags } from './setting-reader.js';

/** What a setting is when neither a flag nor the environment gives it. */
export const DEFAULTS = {
  /** Loopback: a service that nobody has put behind a proxy yet answers this machine only. */
  host: '127.0.0.1',
  port: 8080,
  /** The exchange's program on Solana's main network. */
  programId: 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH',
  logLevel: 'info',
  /** The whole book is compared with the chain this often: one scan of all users each time. */
  auditIntervalMs: 300_000,
  /** Without a slot for this long the book is `lagging`: six slots are missing. */
  laggingAfterMs: 2_500,
  /** Without a slot for this long the book is `stale`. */
  staleAfterMs: 5_000,
  /** Metrics are for the people who run the service: another machine must be let in by name. */
  metricsHost: '127.0.0.1',
  /** The compatible channels send a changed book at most once in this time. */
  publishIntervalMs: 50,
  /** The streaming channels send the changes of a book at most once in this time. */
  streamIntervalMs: 10,
  /** Topics of one address, loopback excepted: a quarter of all. */
  topicsPerIp: 500,
  /** WebSockets of one address, loopback excepted. */
  socketsPerIp: 100,
  /** Messages a second that one WebSocket may send. */
  messagesPerSecond: 50,
  /** HTTP requests a second of one address; 0 for no limit. */
  requestsPerSecond: 0,
  /** Account writes a second of the demo; the embedded chain holds 500 in the long run. */
  demoRate: 100,
  demoSeed: 1,
  demoMakers: 200,
  /** Transactions with fills a second: the embedded chain slows with all that it has run. */
  demoFills: 1,
  /** Seconds between two funding rates of a market; an hour on the real exchange. */
  demoFundingSeconds: 20,
  /** As fast as it was recorded. */
  replaySpeed: 1,
  /** Where a service of this machine answers by default. */
  verifyUrl: 'http://127.0.0.1:8080',
  /** Longest comparison: a market that moves all the time needs some readings to be found equal. */
  verifySeconds: 20,
} as const;

/** Settings whose defaults are numbers. */
type CountSetting = {
  [Name in keyof typeof DEFAULTS]: (typeof DEFAULTS)[Name] extends number ? Name : never;
}[keyof typeof DEFAULTS];

const HTTP = ['http:', 'https:'];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** How much is logged; `silent` is nothing. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Settings that every command has. */
export interface CommonConfig extends QuotesConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Market names to serve; empty means all that are found on chain. */
  readonly markets: readonly string[];
  readonly logLevel: LogLevel;
  /** Time between two audits of the live book; 0 for none. */
  readonly auditIntervalMs: number;
  /** After how many milliseconds without a slot the book is called `lagging`, and `stale`. */
  readonly laggingAfterMs: number;
  readonly staleAfterMs: number;
  /** Where /metrics is served instead of on the main port; undefined leaves it there. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  readonly publishIntervalMs: number;
  readonly streamIntervalMs: number;
  readonly topicsPerIp: number;
  readonly socketsPerIp: number;
  readonly messagesPerSecond: number;
  /** 0 for no limit. */
  readonly requestsPerSecond: number;
  /** The venue outside of the chain; undefined for none. */
  readonly aggregator?: AggregatorConfig | undefined;
}

/** One RPC node. */
export interface NodeConfig {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/** Settings of a service on a cluster. */
export interface ServiceConfig extends CommonConfig {
  /** The first is used while it works; the others take over when it does not. */
  readonly nodes: readonly [NodeConfig, ...NodeConfig[]];
  /** Takes the scan of all users; undefined leaves it to the node in use. */
  readonly snapshotUrl: string | undefined;
  readonly programId: string;
  /** Undefined for no history. */
  readonly history?: HistoryConfig | undefined;
}

/** Settings of a service on its own local chain. */
export interface DemoConfig extends CommonConfig {
  /** Account writes a second. */
  readonly rate: number;
  readonly seed: number;
  readonly makers: number;
  /** Transactions with fills a second, at most. */
  readonly fillsPerSecond: number;
  /** Time between two funding rates of a market. */
  readonly fundingSeconds: number;
  /** As that of a service; without a folder of its own in a fresh one. */
  readonly history?: HistoryConfig | undefined;
}

/** Settings of a service on a recording. */
export interface ReplayConfig extends CommonConfig {
  /** How many times faster than it was recorded; 0 for as fast as it can be read. */
  readonly speed: number;
}

/** Settings of a comparison of a running service with its chain. */
export interface VerifyConfig extends ServiceConfig {
  /** Where the service answers, without a slash at its end. */
  readonly url: string;
  /** Longest time to compare, once both books are live. */
  readonly seconds: number;
}

/** Reads one command's settings from flags and environment. */
export class ConfigReader {
  private readonly settings: SettingReader;

  constructor(flags: Flags, environment: Environment = process.env) {
    this.settings = new SettingReader(flags, environment);
  }

  /** Whether a cluster is named, by flag or by environment. */
  hasCluster(): boolean {
    return this.settings.text('rpcUrl') !== undefined;
  }

  /** The settings of `serve`. */
  service(): ServiceConfig {
    const first = this.node('rpcUrl', 'wsUrl');
    if (first === undefined) throw missing('rpcUrl');
    const second = this.node('fallbackRpcUrl', 'fallbackWsUrl');
    const snapshotUrl = this.settings.text('snapshotUrl');
    return {
      ...this.common(),
      aggregator: readAggregator(this.settings),
      nodes: second === undefined ? [first] : [first, second],
      snapshotUrl:
        snapshotUrl === undefined
          ? undefined
          : this.settings.url('snapshotUrl', snapshotUrl, HTTP).href,
      programId: this.programId(),
      history: readHistoryConfig(this.settings, { dataDir: HISTORY_DEFAULTS.dataDir }),
    };
  }

  /** The settings of `demo`. */
  demo(): DemoConfig {
    return {
      ...this.common(),
      aggregator: readAggregator(this.settings),
      rate: this.settings.integer('rate', DEFAULTS.demoRate, { min: 1, max: LIMITS.demoRateMax }),
      seed: this.settings.integer('seed', DEFAULTS.demoSeed, { min: 0, max: LIMITS.demoSeedMax }),
      makers: this.settings.integer('makers', DEFAULTS.demoMakers, {
        min: 1,
        max: LIMITS.demoMakersMax,
      }),
      fillsPerSecond: this.settings.integer('fills', DEFAULTS.demoFills, {
        min: 0,
        max: LIMITS.demoFillsMax,
      }),
      fundingSeconds: this.settings.integer('fundingSeconds', DEFAULTS.demoFundingSeconds, {
        min: 1,
        max: LIMITS.demoFundingSecondsMax,
      }),
      history: readHistoryConfig(this.settings, { dataDir: undefined }),
    };
  }

  /** The settings of `replay`. */
  replay(): ReplayConfig {
    const { replaySpeedMax: max } = LIMITS;
    const speed = this.settings.number('speed', DEFAULTS.replaySpeed, { min: 0, max });
    return { ...this.common(), speed };
  }

  /** The settings of `verify`. */
  verify(): VerifyConfig {
    const url = this.settings.url(
      'url',
      this.settings.text('url') ?? DEFAULTS.verifyUrl,
      HTTP,
    ).href;
    const range = { min: 1, max: LIMITS.verifySecondsMax };
    const seconds = this.settings.integer('seconds', DEFAULTS.verifySeconds, range);
    // Its own output is the differences: a connection that comes and goes is not news.
    const logLevel = this.settings.text('logLevel') === undefined ? 'warn' : this.logLevel();
    return { ...this.service(), logLevel, url: url.replace(/\/+$/, ''), seconds };
  }

  private node(rpcKey: string, wsKey: string): NodeConfig | undefined {
    const rpcText = this.settings.text(rpcKey);
    const wsText = this.settings.text(wsKey);
    if (rpcText === undefined && wsText !== undefined) throw missing(rpcKey);
    if (rpcText === undefined) return undefined;
    const rpc = this.settings.url(rpcKey, rpcText, HTTP);
    const ws =
      wsText === undefined ? wsUrlOf(rpc) : this.settings.url(wsKey, wsText, ['ws:', 'wss:']);
    return { rpcUrl: rpc.href, wsUrl: ws.href };
  }

  private common(): CommonConfig {
    const count = (name: CountSetting, range: Range): number =>
      this.settings.integer(name, DEFAULTS[name], range);
    const interval = { min: 0, max: LIMITS.publishIntervalMsMax };
    return {
      host: this.settings.text('host') ?? DEFAULTS.host,
      port: this.settings.integer('port', DEFAULTS.port, { min: 0, max: LIMITS.portMax }),
      markets: this.settings.names('markets'),
      logLevel: this.logLevel(),
      auditIntervalMs: count('auditIntervalMs', { min: 0, max: LIMITS.auditIntervalMsMax }),
      ...this.timing(),
      metricsPort: this.metricsPort(),
      metricsHost: this.settings.text('metricsHost') ?? DEFAULTS.metricsHost,
      publishIntervalMs: count('publishIntervalMs', interval),
      streamIntervalMs: count('streamIntervalMs', interval),
      topicsPerIp: count('topicsPerIp', { min: 1, max: LIMITS.topicsMax }),
      socketsPerIp: count('socketsPerIp', { min: 1, max: LIMITS.socketsMax }),
      messagesPerSecond: count('messagesPerSecond', { min: 1, max: LIMITS.ratePerSecondMax }),
      requestsPerSecond: count('requestsPerSecond', { min: 0, max: LIMITS.ratePerSecondMax }),
      ...readQuotesConfig(this.settings),
    };
  }

  private timing(): Pick<CommonConfig, 'laggingAfterMs' | 'staleAfterMs'> {
    const duration = { min: LIMITS.durationMsMin, max: LIMITS.durationMsMax };
    const laggingAfterMs = this.settings.integer(
      'laggingAfterMs',
      DEFAULTS.laggingAfterMs,
      duration,
    );
    const staleAfterMs = this.settings.integer('staleAfterMs', DEFAULTS.staleAfterMs, duration);
    if (staleAfterMs >= laggingAfterMs) return { laggingAfterMs, staleAfterMs };
    const range = `at least --lagging-after-ms, which is ${laggingAfterMs}`;
    throw outOfRange('staleAfterMs', staleAfterMs, range);
  }

  private metricsPort(): number | undefined {
    if (this.settings.text('metricsPort') === undefined) return undefined;
    return this.settings.integer('metricsPort', 0, { min: 0, max: LIMITS.portMax });
  }

  private programId(): string {
    const text = this.settings.text('programId') ?? DEFAULTS.programId;
    if (isPublicKey(text)) return text;
    throw invalid('programId', text, 'must be a base58 key of 32 bytes');
  }

  private logLevel(): LogLevel {
    const text = this.settings.text('logLevel') ?? DEFAULTS.logLevel;
    const level = LOG_LEVELS.find((known) => known === text);
    if (level !== undefined) return level;
    throw invalid('logLevel', text, `must be one of ${LOG_LEVELS.join(', ')}`);
  }
}

/** Solana's convention: the subscription port is the HTTP port plus one, where a port is named. */
function wsUrlOf(rpc: URL): URL {
  const url = new URL(rpc);
  url.protocol = rpc.protocol === 'https:' ? 'wss:' : 'ws:';
  if (rpc.port !== '') url.port = String(Number(rpc.port) + 1);
  return url;
}
