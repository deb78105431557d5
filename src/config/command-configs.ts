/** The settings of each command, as they are read. */
import type { ChainProgram, ProgramName } from '../contract/program.js';
import type { JournalMomentSetting } from './journal-moment.js';
import type {
  AggregatorConfig,
  DatabaseConfig,
  HistoryConfig,
  JournalConfig,
  LogConfig,
  LogPlaceConfig,
  NodeConfig,
  ProofConfig,
  SourceConfig,
} from './part-configs.js';
import type { SettingValues } from './setting-reader.js';
import { settingsOf } from './settings.js';

/** Names of the settings of every command that serves a book; see the table of settings. */
export const BOOK_SETTINGS = settingsOf('book', 'audit');

/** The settings of every command that serves a book. */
export interface BookConfig extends SettingValues<(typeof BOOK_SETTINGS)[number]> {
  /** The external venue; undefined for none. */
  readonly aggregator?: AggregatorConfig | undefined;
}

/** Settings of a service on a cluster. */
export interface ServiceConfig extends BookConfig, ChainProgram {
  /** The first node is used while it works; the others are fallbacks. */
  readonly nodes: readonly [NodeConfig, ...NodeConfig[]];
  /** Streams that replace the nodes' subscriptions; empty for none. */
  readonly sources?: readonly SourceConfig[];
  /** Address of the node that serves the scan of all users; undefined for the current node. */
  readonly snapshotUrl: string | undefined;
  readonly history?: HistoryConfig | undefined;
  readonly journal?: JournalConfig | undefined;
}

/** The settings of a core, which writes a log of turns. */
export interface CoreConfig extends ServiceConfig {
  readonly log: LogConfig;
  /** The signed log of the books; undefined for none. */
  readonly proof?: ProofConfig | undefined;
}

/** The settings of an edge, which follows a core's log. */
export interface EdgeConfig extends BookConfig, ChainProgram, SettingValues<'awayAfterMs'> {
  readonly place: LogPlaceConfig;
  /** The core's signed log; undefined for none. */
  readonly proof?: ProofConfig | undefined;
  /** The database of the core's history; undefined for no database. */
  readonly database?: DatabaseConfig;
}

/** The settings of a service on its own local chain. */
export interface DemoConfig
  extends BookConfig,
    SettingValues<'rate' | 'seed' | 'marketsPreset' | 'makers' | 'fundingSeconds'> {
  readonly fillsPerSecond: number;
  readonly program: ProgramName;
  /** The history, as in a service; without a data folder its files are in a temporary folder. */
  readonly history?: HistoryConfig | undefined;
  /** Likewise. */
  readonly journal?: JournalConfig | undefined;
}

/** Settings of a service on a journal. */
export interface ReplayConfig extends BookConfig, SettingValues<'speed' | 'program'> {
  /** The moment to serve: the last turn up to a slot or a time; undefined to play everything. */
  readonly at?: JournalMomentSetting | undefined;
}

/** The settings of a comparison of a running service with its chain. */
export interface VerifyConfig extends ServiceConfig, SettingValues<'seconds'> {
  /** Address of the service, without a trailing slash. */
  readonly url: string;
}
