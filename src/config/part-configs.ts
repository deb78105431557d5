/** The settings of a service's parts, as `config.ts` returns them. */
import type { Retain } from '../contract/retain.js';
import { ConfigError, outOfRange } from './config-error.js';
import { LIMITS } from './limits.js';
import type { SettingValues } from './setting-reader.js';

/** One RPC node. */
export interface NodeConfig {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/** A database, and whether the service writes the history there or reads it. */
export interface DatabaseConfig {
  /** The address. It contains user and password, which are never shown. */
  readonly url: string;
  readonly role: 'write' | 'read';
}

/** One Yellowstone gRPC server. */
interface GrpcConfig {
  /** Without user info. */
  readonly url: string;
  readonly token: string | undefined;
}

/** The settings of the history. */
export interface HistoryConfig extends SettingValues<'candleRetentionDays'> {
  /** Days of records by kind. */
  readonly retain: Retain;
  /**
   * The folder that contains the history's files, one for each chain; undefined for a temporary
   * folder.
   */
  readonly dataDir: string | undefined;
  /** A database instead of files. */
  readonly database?: DatabaseConfig | undefined;
  readonly backfillHours: number;
  readonly backfillTransactionsMax: number;
  readonly requestsPerSecond: number;
}

/** The settings of the journal. */
export interface JournalConfig {
  /** The parent of the journal's folder; undefined for a temporary folder. */
  readonly dataDir: string | undefined;
  /** Older files are deleted; 0 for never. */
  readonly days: number;
  /** Maximum total bytes of the files; 0 for no limit. */
  readonly bytesMax: number;
  /** The file of the key that signs the log of the books; undefined for no log. */
  readonly signingKey?: string | undefined;
}

/** The settings of a cluster's signed log. */
export interface ProofConfig {
  /** The file of the key: of a core that which signs, of an edge the public one. */
  readonly keyFile: string;
  /** The parent of the folder of its copy. */
  readonly dataDir: string;
}

/** A swap aggregator that quotes spot markets. */
export interface AggregatorConfig {
  /** Its base address, without the final `/quote`. */
  readonly url: string;
  /** Names of the quoted markets; empty for all served spot markets. */
  readonly markets: readonly string[];
  /** Sizes in whole quote, ascending. */
  readonly sizes: readonly number[];
  /** Polling interval of each market. */
  readonly intervalMs: number;
  /** Time limit of one request. */
  readonly timeoutMs: number;
  /** Levels older than this are excluded. */
  readonly maxAgeMs: number;
  readonly requestsPerSecond: number;
}

/** A log on NATS. */
export interface LogPlaceConfig {
  readonly servers: readonly string[];
  readonly stream: string;
  readonly key?: string | undefined;
}

/** A log on NATS, and its retention. */
export interface LogConfig {
  readonly place: LogPlaceConfig;
  readonly replicas: number;
  readonly ageMsMax: number;
  readonly bytesMax: number;
  /** Milliseconds without a message from a core, after which a standby replaces the core. */
  readonly leaseMs: number;
}

/**
 * Returns the subscription address of a node. By Solana's convention, its port is the HTTP port
 * plus one, if the address has a port.
 */
export function wsUrlOf(rpcUrl: string): string {
  const url = new URL(rpcUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  return url.href;
}

/** A stream of the chain: the subscriptions of a node, or a Yellowstone gRPC server. */
export type SourceConfig =
  | ({ readonly kind: 'rpc' } & NodeConfig)
  | ({ readonly kind: 'grpc' } & GrpcConfig);

/**
 * Returns the configured streams, in order. A source that is also a configured node uses that
 * node's subscription address.
 */
export function sourcesOf(
  { source = [], grpcUrl = [], grpcToken }: SourceSettings,
  nodes: readonly NodeConfig[],
): readonly SourceConfig[] {
  const named = [...source, ...grpcUrl.map((url) => `grpc:${url}`)];
  const sources = named.map((text): SourceConfig => {
    const [, kind, address = ''] = /^(rpc|grpc):(https?:.*)$/.exec(text) ?? [];
    if (kind === undefined || !URL.canParse(address)) throw notSource();
    const url = new URL(address);
    if (kind === 'grpc') return { kind, ...grpcServerOf(url, grpcToken) };
    const rpcUrl = url.href;
    const known = nodes.find((node) => node.rpcUrl === rpcUrl);
    return { kind: 'rpc', rpcUrl, wsUrl: known?.wsUrl ?? wsUrlOf(rpcUrl) };
  });
  if (sources.length > LIMITS.sourcesMax)
    throw outOfRange('source', sources.length, `at most ${LIMITS.sourcesMax}`);
  if (new Set(sources.map(nameOf)).size === sources.length) return sources;
  throw new ConfigError('INVALID_SETTING', 'a source is named twice', '--source');
}

type SourceSettings = Partial<SettingValues<'source' | 'grpcUrl' | 'grpcToken'>>;

/**
 * Returns the error for an invalid source. The message omits the text, which may contain an access
 * key.
 */
function notSource(): ConfigError {
  const rule = '--source must be rpc: or grpc: before an http:// or https:// URL';
  return new ConfigError('INVALID_SETTING', rule, '--source');
}

/** Distinguishes sources without showing keys. */
function nameOf(source: SourceConfig): string {
  return `${source.kind}:${new URL(source.kind === 'rpc' ? source.rpcUrl : source.url).host}`;
}

/** A user name in the address is the server's own token. */
function grpcServerOf(url: URL, grpcToken: string | undefined): GrpcConfig {
  const token = url.username === '' ? grpcToken : decodeURIComponent(url.username);
  // Without this check, the error of a connection would include the token.
  if (token !== undefined && !/^[!-~]+$/.test(token)) {
    const message = 'a gRPC token has visible ASCII characters alone, and no line end';
    throw new ConfigError('INVALID_SETTING', message, '--grpc-token');
  }
  url.username = '';
  url.password = '';
  return { url: url.href, token };
}
