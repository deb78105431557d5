/**
 * Reads and validates the settings of each command. No other module reads the environment.
 *
 * A flag overrides its environment variable, which overrides the default. Importing this module
 * reads nothing. `settings.ts` is the table of all settings; rules that involve several settings
 * are here.
 */
import { type ChainProgram, PROGRAM_IDS, programAt } from '../contract/program.js';
import { readAggregator } from './aggregator-settings.js';
import {
  BOOK_SETTINGS,
  type BookConfig,
  type CoreConfig,
  type DemoConfig,
  type EdgeConfig,
  type ReplayConfig,
  type ServiceConfig,
  type VerifyConfig,
} from './command-configs.js';
import { invalid, missing, outOfRange } from './config-error.js';
import { readDatabaseUrl } from './database-url.js';
import { parseMoment } from './journal-moment.js';
import {
  type HistoryConfig,
  type JournalConfig,
  type LogPlaceConfig,
  type NodeConfig,
  type ProofConfig,
  sourcesOf,
  wsUrlOf,
} from './part-configs.js';
import { readRetain, requireCandleRetention } from './retain.js';
import { type Environment, type Flags, SettingReader } from './setting-reader.js';

export type * from './command-configs.js';
export type * from './part-configs.js';

/**
 * Defaults of a demo of mainnet's markets: at least two makers a market, and one funding
 * transaction every seven seconds, the same rate as for three markets every 20 s.
 */
const MAINNET_DEFAULTS = { makers: 400, fundingSeconds: 600 } as const;

/** Reads the settings of a command from flags and environment. Throws a ConfigError. */
export class ConfigReader {
  readonly #settings: SettingReader;

  constructor(flags: Flags, environment: Environment = process.env) {
    this.#settings = new SettingReader(flags, environment);
  }

  /** Returns whether a flag or the environment sets the cluster's address. */
  hasCluster(): boolean {
    return this.#settings.isGiven('rpcUrl');
  }

  /** The settings of `serve`. */
  readService(): ServiceConfig {
    return {
      ...this.#readChain(),
      history: this.#readHistory(this.#settings.read('dataDir')),
      journal: this.#readJournal(this.#settings.read('dataDir'), this.#settings.read('journal')),
    };
  }

  /** The settings of `core`. */
  readCore(): CoreConfig {
    const core = this.#settings.readAll('natsReplicas', 'natsHours', 'natsMegabytes', 'leaseMs');
    const ageMsMax = core.natsHours * 3_600_000;
    const bytesMax = core.natsMegabytes * 1024 * 1024;
    const { natsReplicas: replicas, leaseMs } = core;
    const limits = { replicas, ageMsMax, bytesMax, leaseMs };
    const isWanted = this.#settings.isGiven('historyUrl');
    return {
      ...this.#readChain(),
      ...(isWanted && { history: this.#readHistory('') }),
      log: { place: this.#readLogPlace(), ...limits },
      proof: this.#readProof(),
    };
  }

  /** The settings of `edge`. */
  readEdge(): EdgeConfig {
    const { awayAfterMs } = this.#settings.readAll('awayAfterMs');
    const book = { ...this.#readBook(), ...this.#readProgram() };
    const proof = this.#readProof();
    const common = { ...book, awayAfterMs, place: this.#readLogPlace(), proof };
    const first = readDatabaseUrl(this.#settings, 'historyUrl');
    const url = readDatabaseUrl(this.#settings, 'historyReadUrl') ?? first;
    return { ...common, ...(url !== undefined && { database: { url, role: 'read' } }) };
  }

  /** Reads the address of the database, for a command that requires a database. */
  readHistoryUrl(): string {
    const url = readDatabaseUrl(this.#settings, 'historyUrl');
    if (url === undefined) throw missing('historyUrl');
    return url;
  }

  /** The settings of `demo`. */
  readDemo(): DemoConfig {
    const dataDir = this.#settings.isGiven('dataDir') ? this.#settings.read('dataDir') : undefined;
    const demo = this.#settings.readAll(
      'rate',
      'seed',
      'marketsPreset',
      'makers',
      'fundingSeconds',
    );
    return {
      ...this.#readBook(),
      aggregator: readAggregator(this.#settings),
      ...demo,
      ...(demo.marketsPreset === 'mainnet' && this.#readMainnet()),
      fillsPerSecond: this.#settings.read('fills'),
      program: this.#readProgram().program,
      history: this.#readHistory(dataDir),
      journal: this.#readJournal(dataDir, true),
    };
  }

  #readMainnet(): { makers: number; fundingSeconds: number } {
    const readOr = (name: keyof typeof MAINNET_DEFAULTS): number =>
      this.#settings.isGiven(name) ? this.#settings.read(name) : MAINNET_DEFAULTS[name];
    return { makers: readOr('makers'), fundingSeconds: readOr('fundingSeconds') };
  }

  /** The settings of `replay`. */
  readReplay(): ReplayConfig {
    const { at, ...common } = this.#settings.readAll('speed', 'program', 'at');
    return { ...this.#readBook(), ...common, ...(at === undefined ? {} : { at: parseMoment(at) }) };
  }

  /** The settings of `verify`. */
  readVerify(): VerifyConfig {
    const { url, seconds } = this.#settings.readAll('url', 'seconds');
    const service = this.readService();
    const logLevel = this.#settings.isGiven('logLevel') ? service.logLevel : 'warn';
    return { ...service, logLevel, url: url.replace(/\/+$/, ''), seconds };
  }

  /** Reads the settings of commands that follow a chain. */
  #readChain(): ServiceConfig {
    const first = this.#readNode('rpcUrl', 'wsUrl');
    if (first === undefined) throw missing('rpcUrl');
    const second = this.#readNode('fallbackRpcUrl', 'fallbackWsUrl');
    const nodes = second === undefined ? ([first] as const) : ([first, second] as const);
    return {
      ...this.#readBook(),
      aggregator: readAggregator(this.#settings),
      nodes,
      ...this.#settings.readAll('snapshotUrl'),
      ...this.#readProgram(),
      sources: sourcesOf(this.#settings.readAll('source', 'grpcUrl', 'grpcToken'), nodes),
    };
  }

  /**
   * Reads the program. A known program's address determines its rules; for another address the
   * rules are those of `--program`, by default of Drift v2.
   */
  #readProgram(): ChainProgram {
    const { program, programId } = this.#settings.readAll('program', 'programId');
    if (programId === undefined) {
      const name = program ?? 'drift';
      return { programId: PROGRAM_IDS[name], program: name };
    }
    const owner = programAt(programId);
    if (program === undefined || program === owner) return { programId, program: owner };
    if (PROGRAM_IDS[owner] !== programId) return { programId, program };
    throw invalid('program', program, `must be ${owner}, whose address --program-id is`);
  }

  #readProof(): ProofConfig | undefined {
    const { signingKey: keyFile, dataDir } = this.#settings.readAll('signingKey', 'dataDir');
    return keyFile === undefined ? undefined : { keyFile, dataDir };
  }

  #readLogPlace(): LogPlaceConfig {
    const read = this.#settings.readAll('nats', 'natsStream', 'logKey');
    const { nats: servers, natsStream: stream, logKey: key } = read;
    if (servers === undefined || servers.length === 0) throw missing('nats');
    if (/^[\w-]{1,64}$/.test(stream)) return { servers, stream, key };
    throw invalid('natsStream', stream, 'must be 1 to 64 letters, digits, - and _');
  }

  #readNode(
    rpcName: 'rpcUrl' | 'fallbackRpcUrl',
    wsName: 'wsUrl' | 'fallbackWsUrl',
  ): NodeConfig | undefined {
    const { [rpcName]: rpcUrl, [wsName]: wsUrl } = this.#settings.readAll(rpcName, wsName);
    if (rpcUrl === undefined && wsUrl !== undefined) throw missing(rpcName);
    if (rpcUrl === undefined) return undefined;
    return { rpcUrl, wsUrl: wsUrl ?? wsUrlOf(rpcUrl) };
  }

  #readBook(): BookConfig {
    const common = this.#settings.readAll(...BOOK_SETTINGS);
    const { laggingAfterMs, staleAfterMs } = common;
    if (staleAfterMs >= laggingAfterMs) return common;
    const range = `at least --lagging-after-ms, which is ${laggingAfterMs}`;
    throw outOfRange('staleAfterMs', staleAfterMs, range);
  }

  /** Returns undefined when the history is disabled, but rejects invalid settings even then. */
  #readHistory(dataDir: string | undefined): HistoryConfig | undefined {
    const { noHistory, backfillTransactions, historyRequestsPerSecond, retain, ...rest } =
      this.#settings.readAll(
        'noHistory',
        'retain',
        'candleRetentionDays',
        'backfillHours',
        'backfillTransactions',
        'historyRequestsPerSecond',
      );
    requireCandleRetention(rest.candleRetentionDays);
    const url = readDatabaseUrl(this.#settings, 'historyUrl');
    // Only edges use this setting; it is validated because machines may share their settings.
    readDatabaseUrl(this.#settings, 'historyReadUrl');
    if (noHistory) return undefined;
    return {
      ...rest,
      retain: readRetain(retain),
      dataDir,
      database: url === undefined ? undefined : { url, role: 'write' },
      backfillTransactionsMax: backfillTransactions,
      requestsPerSecond: historyRequestsPerSecond,
    };
  }

  /** Returns undefined when the journal is disabled, but rejects invalid settings even then. */
  #readJournal(dataDir: string | undefined, isWanted: boolean): JournalConfig | undefined {
    const { noJournal, journalDays, journalMegabytes, signingKey } = this.#settings.readAll(
      'noJournal',
      'journalDays',
      'journalMegabytes',
      'signingKey',
    );
    const isKept = isWanted && !noJournal;
    if (signingKey !== undefined && (!isKept || dataDir === undefined)) {
      throw invalid('signingKey', signingKey, 'needs --journal and a --data-dir that stays');
    }
    if (!isKept) return undefined;
    return { dataDir, days: journalDays, bytesMax: journalMegabytes * 1024 * 1024, signingKey };
  }
}
