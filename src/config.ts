/**
 * Every setting, default and limit of the service, and the only reader of the environment.
 *
 * A flag wins over its environment variable, which wins over the default. Nothing is read at import
 * time: `readConfig` takes the flags and the environment and returns checked values, or throws a
 * ConfigError that names the setting.
 */
import { PublicKey } from '@solana/web3.js';

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
  /** Account writes a second of the demo; the embedded chain holds 500 in the long run. */
  demoRate: 100,
  demoSeed: 1,
  demoMakers: 200,
} as const;

/** The largest (and smallest) values that are accepted, with the reason. */
export const LIMITS = {
  /** A TCP port is 16 bits; 0 lets the system choose one, which tests use. */
  portMax: 65_535,
  /** Steady account writes a second that the embedded chain keeps up with. */
  demoRateMax: 500,
  /** A seed is one unsigned 32-bit word. */
  demoSeedMax: 0xffff_ffff,
  /** One account of 4,376 bytes each: 44 MB of chain state, written in about 10 s at the start. */
  demoMakersMax: 10_000,
  /** A filter names markets one by one; the program has fewer than this. */
  marketFilterMax: 256,
  /** Levels or orders a side in one body: 1,000 rows are below 256 KiB of JSON. */
  depthMin: 1,
  depthMax: 1_000,
  /** The specification's default of /l2. */
  l2DepthDefault: 10,
  /** Ticks a group; the incumbent's clients use 1 to 10,000. */
  groupingMin: 1,
  groupingMax: 1_000_000,
  /** Market indexes are u16 on chain. */
  marketIndexMax: 65_535,
  /** The name field of a market account has 32 bytes. */
  marketNameBytesMax: 32,
  /** Base58 characters of 32 bytes: 32 when all are zero, 44 when all are 255. */
  keyCharsMin: 32,
  keyCharsMax: 44,
  /** Path and query together; the longest honest request names 50 markets in a list. */
  requestLineBytesMax: 8_192,
  /** All header names and values of a request: what proxies in front allow by default. */
  headerBytesMax: 16_384,
  /**
   * A request's head as the transport gathers it: room for both with their separators, so that what
   * is refused for its size is refused here, by name. Each slow connection may hold this much.
   */
  requestHeadBytesMax: 32_768,
  /** Parsed queries kept per path, so that a repeated request is not parsed again. */
  queryMemoEntriesMax: 1_024,
  /** Longer queries are parsed each time, which bounds the memo at 512 KiB a path. */
  queryMemoBytesMax: 512,
  /** Smaller bodies fit in a few packets: compressing them costs more than it saves. */
  gzipBodyBytesMin: 16_384,
  /** Compressed bodies kept for their version: some hundred of the largest /l2 bodies. */
  gzipCacheBytesMax: 64 * 1024 * 1024,
  /** Compressions under way at once; beyond it bodies go out plain, so no queue can grow. */
  gzipPendingMax: 32,
  /** A day: rarer than that is as good as 0, which turns audits off. */
  auditIntervalMsMax: 86_400_000,
  /** A quoted value in an error message is cut here. */
  errorValueCharsMax: 64,
  /** Seconds that a client should wait before it asks again for a first book. */
  retryAfterSeconds: 1,
  /** Time that a stopping service waits for its parts before it leaves anyway. */
  stopMsMax: 5_000,
} as const;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** How much is logged; `silent` is nothing. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Settings that every command has. */
export interface CommonConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Market names to serve; empty means all that are found on chain. */
  readonly markets: readonly string[];
  readonly logLevel: LogLevel;
  /** Time between two audits of the live book; 0 for none. */
  readonly auditIntervalMs: number;
}

/** Settings of a service on a cluster. */
export interface ServiceConfig extends CommonConfig {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly programId: string;
}

/** Settings of a service on its own local chain. */
export interface DemoConfig extends CommonConfig {
  /** Account writes a second. */
  readonly rate: number;
  readonly seed: number;
  readonly makers: number;
}

/** Flags by their camelCase name, as text. */
export type Flags = Readonly<Record<string, string | undefined>>;

/** The environment of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that is missing or cannot be used. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly code: 'MISSING_SETTING' | 'INVALID_SETTING' | 'SETTING_OUT_OF_RANGE',
    message: string,
    /** The flag whose value it is, for example `--port`. */
    readonly setting: string,
  ) {
    super(message);
  }
}

/** Reads one command's settings from flags and environment. */
export class ConfigReader {
  constructor(
    private readonly flags: Flags,
    private readonly environment: Environment = process.env,
  ) {}

  /** Whether a cluster is named, by flag or by environment. */
  hasCluster(): boolean {
    return this.text('rpcUrl') !== undefined;
  }

  /** The settings of `serve`. */
  service(): ServiceConfig {
    const rpcUrl = this.text('rpcUrl');
    if (rpcUrl === undefined) {
      throw new ConfigError('MISSING_SETTING', '--rpc-url is missing', '--rpc-url');
    }
    const rpc = this.url('rpcUrl', rpcUrl, ['http:', 'https:']);
    const wsUrl = this.text('wsUrl');
    const ws = wsUrl === undefined ? wsUrlOf(rpc) : this.url('wsUrl', wsUrl, ['ws:', 'wss:']);
    return { ...this.common(), rpcUrl: rpc.href, wsUrl: ws.href, programId: this.programId() };
  }

  /** The settings of `demo`. */
  demo(): DemoConfig {
    return {
      ...this.common(),
      rate: this.integer('rate', DEFAULTS.demoRate, { min: 1, max: LIMITS.demoRateMax }),
      seed: this.integer('seed', DEFAULTS.demoSeed, { min: 0, max: LIMITS.demoSeedMax }),
      makers: this.integer('makers', DEFAULTS.demoMakers, { min: 1, max: LIMITS.demoMakersMax }),
    };
  }

  private common(): CommonConfig {
    return {
      host: this.text('host') ?? DEFAULTS.host,
      port: this.integer('port', DEFAULTS.port, { min: 0, max: LIMITS.portMax }),
      markets: this.markets(),
      logLevel: this.logLevel(),
      auditIntervalMs: this.integer('auditIntervalMs', DEFAULTS.auditIntervalMs, {
        min: 0,
        max: LIMITS.auditIntervalMsMax,
      }),
    };
  }

  private programId(): string {
    const text = this.text('programId') ?? DEFAULTS.programId;
    if (isKey(text)) return text;
    throw invalid('programId', text, 'must be a base58 key of 32 bytes');
  }

  private markets(): readonly string[] {
    const text = this.text('markets') ?? '';
    const names = text.split(',').map((name) => name.trim());
    const given = names.filter((name) => name !== '');
    if (given.length <= LIMITS.marketFilterMax) return given;
    throw outOfRange('markets', given.length, `at most ${LIMITS.marketFilterMax} names`);
  }

  private logLevel(): LogLevel {
    const text = this.text('logLevel') ?? DEFAULTS.logLevel;
    const level = LOG_LEVELS.find((known) => known === text);
    if (level !== undefined) return level;
    throw invalid('logLevel', text, `must be one of ${LOG_LEVELS.join(', ')}`);
  }

  private integer(key: string, fallback: number, range: { min: number; max: number }): number {
    const text = this.text(key);
    if (text === undefined) return fallback;
    if (!/^-?\d+$/.test(text)) throw invalid(key, text, 'must be a whole number');
    const value = Number(text);
    if (value >= range.min && value <= range.max) return value;
    throw outOfRange(key, text, `${range.min} to ${range.max}`);
  }

  private url(key: string, text: string, protocols: readonly string[]): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url !== undefined && protocols.includes(url.protocol)) return url;
    // The value is left out: an RPC address often carries an access key.
    const wanted = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw new ConfigError('INVALID_SETTING', `${flagOf(key)} must be a ${wanted} URL`, flagOf(key));
  }

  private text(key: string): string | undefined {
    const value = this.flags[key] ?? this.environment[environmentNameOf(key)];
    return value === undefined || value === '' ? undefined : value;
  }
}

/** The length comes first: decoding takes time by its square. */
function isKey(text: string): boolean {
  if (text.length < LIMITS.keyCharsMin || text.length > LIMITS.keyCharsMax) return false;
  try {
    return new PublicKey(text).toBase58() === text;
  } catch {
    return false;
  }
}

/** Solana's convention: the subscription port is the HTTP port plus one, where a port is named. */
function wsUrlOf(rpc: URL): URL {
  const url = new URL(rpc);
  url.protocol = rpc.protocol === 'https:' ? 'wss:' : 'ws:';
  if (rpc.port !== '') url.port = String(Number(rpc.port) + 1);
  return url;
}

function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function environmentNameOf(key: string): string {
  return `SLOTBOOK_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function invalid(key: string, value: string, rule: string): ConfigError {
  const flag = flagOf(key);
  return new ConfigError('INVALID_SETTING', `${flag} was ${value}, ${rule}`, flag);
}

function outOfRange(key: string, value: string | number, range: string): ConfigError {
  const flag = flagOf(key);
  return new ConfigError('SETTING_OUT_OF_RANGE', `${flag} was ${value}, must be ${range}`, flag);
}
