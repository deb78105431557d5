/** The settings of the parts of a service, as their readers in `config.ts` give them. */
import { ConfigError } from './config-error.js';
import type { SettingValues } from './setting-reader.js';

/** One RPC node. */
export interface NodeConfig {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/** A database, and whether its history is written or read. */
export interface DatabaseConfig {
  /** With user and password, which are never shown. */
  readonly url: string;
  readonly role: 'write' | 'read';
}

/** One Yellowstone gRPC server. */
export interface GrpcConfig {
  /** Without user info. */
  readonly url: string;
  readonly token: string | undefined;
}

/** The settings of the history. */
export interface HistoryConfig extends SettingValues<'retentionDays' | 'candleRetentionDays'> {
  /** The folder of its files, one a chain; undefined for a temporary one. */
  readonly dataDir: string | undefined;
  /** In the place of files. */
  readonly database?: DatabaseConfig | undefined;
  readonly backfillHours: number;
  readonly backfillTransactionsMax: number;
  readonly requestsPerSecond: number;
}

/** The settings of the journal. */
export interface JournalConfig {
  /** The folder below which it has its own; undefined for a temporary one. */
  readonly dataDir: string | undefined;
  /** Older files are deleted; 0 for never. */
  readonly days: number;
  /** Of all files together; 0 for no limit. */
  readonly bytesMax: number;
}

/** A swap aggregator that quotes spot markets. */
export interface AggregatorConfig {
  /** Its base address: `/quote` comes behind it. */
  readonly url: string;
  /** Names of the markets that it quotes; empty means all spot markets that are served. */
  readonly markets: readonly string[];
  /** Sizes in whole quote, ascending. */
  readonly sizes: readonly number[];
  /** How often each market is polled. */
  readonly intervalMs: number;
  /** Of one request. */
  readonly timeoutMs: number;
  /** Levels older than this are left out. */
  readonly maxAgeMs: number;
  readonly requestsPerSecond: number;
}

/** A log on NATS. */
export interface LogPlaceConfig {
  /** Addresses of its servers. */
  readonly servers: readonly string[];
  /** The name of its stream. */
  readonly stream: string;
}

/** A log on NATS, and what of it is kept. */
export interface LogConfig {
  readonly place: LogPlaceConfig;
  /** Servers that hold a copy. */
  readonly replicas: number;
  /** Milliseconds. */
  readonly ageMsMax: number;
  readonly bytesMax: number;
  /** A core that was silent for so long is replaced by a standby, milliseconds. */
  readonly leaseMs: number;
}

/** Solana's convention: the subscription port is the HTTP port plus one, where a port is named. */
export function wsUrlOf(rpcUrl: string): string {
  const url = new URL(rpcUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  return url.href;
}

/** The servers of these settings: a user in an address is its own token. */
export function grpcServersOf({
  grpcUrl = [],
  grpcToken,
}: Partial<SettingValues<'grpcUrl' | 'grpcToken'>>): readonly GrpcConfig[] {
  return grpcUrl.map((text) => {
    const url = new URL(text);
    const token = url.username === '' ? grpcToken : decodeURIComponent(url.username);
    // The library that sends it would quote it in its error.
    if (token !== undefined && !/^[!-~]+$/.test(token)) {
      const message = 'a gRPC token has visible ASCII characters alone, and no line end';
      throw new ConfigError('INVALID_SETTING', message, '--grpc-token');
    }
    url.username = '';
    url.password = '';
    return { url: url.href, token };
  });
}
