/** A node of the model network: it serves the model chain over JSON-RPC, as badly as its faults say. */
import { CLOCK_KEY } from '../../src/feed/model/queries.js';
import { Random } from '../../src/sim/random.js';
import { bytesOf, matches, type RpcFilter } from '../support/rpc-filter.js';
import { currentMachine } from './globals.js';
import {
  type AccountState,
  type ChainListener,
  kindOfData,
  type ModelChain,
  madeUpUser,
} from './model-chain.js';
import type { ListConfig, ModelFill, ModelLedger } from './model-ledger.js';
import { LostUsers, transactionText, type WriteLog, withForeignLines } from './model-logs.js';
import type { HostSocket, NetworkHost, RequestOutcome, UpgradeOutcome } from './network.js';
import { type NodeFaults, type NotifiedKind, type Refusal, soundNode } from './node-faults.js';
import { partsOf, spoiled, spoiledReply, trickledReply, withWrongZstd } from './replies.js';

const OTHER_GENESIS = 'otherChain11111111111111111111111111111111';
/** One way through the network. */
const DELAY_MS_MIN = 5;
const DELAY_MS_MAX = 60;
/** Slots that climb do so at so many times the pace, as a chain of the shortest slots would. */
const CLIMB_FACTOR = 8;
/** A notification that is held back comes after at most this time. */
const SWAPPED_MS = 700;

/** One fill in so many is refused by a node that refuses some. */
const REFUSED_ONE_IN = 4;
const REFUSALS: Readonly<Record<Refusal, string>> = {
  'unsupported version':
    '"error":{"code":-32015,"message":"Transaction version (9) is not supported"}',
  'internal error': '"error":{"code":-32603,"message":"Internal error"}',
  malformed: '"result":{"slot":1,"meta":{"err":null,"logMessages":[7]}}',
  nothing: '"result":null',
};

type Encoding = 'base64' | 'base64+zstd';

interface Config {
  readonly encoding?: Encoding;
  readonly commitment?: string;
  readonly withContext?: boolean;
  readonly filters?: readonly RpcFilter[];
}

interface Subscription {
  readonly id: number;
  readonly kind: NotifiedKind;
  /** Of one account. */
  readonly pubkey: string | null;
  /** Of a program's accounts. */
  readonly owner: string | null;
  readonly filters: readonly RpcFilter[];
  readonly encoding: Encoding;
}

interface Connection {
  readonly socket: HostSocket;
  readonly subscriptions: Map<number, Subscription>;
}

interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Counts of what was done to notifications, for the report. */
interface NodeDamage {
  lost: number;
  doubled: number;
  swapped: number;
  malformed: number;
  silenced: number;
}

/** One node by HTTP and WebSocket. */
export class ModelNode implements NetworkHost, ChainListener {
  readonly name: string;
  readonly damage: NodeDamage = { lost: 0, doubled: 0, swapped: 0, malformed: 0, silenced: 0 };
  faults: NodeFaults = soundNode();
  /** The signatures that it never gives, whatever its faults. */
  readonly refusedForEver = new Map<string, Refusal>();
  /** The times of the first and the last refusal of a signature. */
  readonly refusedMs = new Map<string, { readonly firstMs: number; readonly lastMs: number }>();
  readonly #chain: ModelChain;
  readonly #ledger: ModelLedger;
  readonly #random: Random;
  readonly #connections = new Map<HostSocket, Connection>();
  readonly #losses: LostUsers;
  #nextSubscription = 1;
  #stalledUntilMs = 0;

  constructor(options: { name: string; chain: ModelChain; ledger: ModelLedger; seed: number }) {
    this.name = options.name;
    this.#chain = options.chain;
    this.#ledger = options.ledger;
    this.#random = new Random(options.seed);
    this.#losses = new LostUsers(this.#random);
    this.#chain.listen(this);
  }

  /** Whether the service follows its slots. */
  get isInUse(): boolean {
    return [...this.#connections.values()].some(({ subscriptions }) =>
      [...subscriptions.values()].some(({ kind }) => kind === 'slot'),
    );
  }

  /** Cuts all connections. */
  cutConnections(): void {
    for (const { socket } of [...this.#connections.values()]) socket.cut();
    this.#connections.clear();
  }

  /** What is sent to the node or by it arrives when this is over. */
  stallFor(ms: number): void {
    this.#stalledUntilMs = currentMachine().time.nowMs + ms;
  }

  delayMs(): number {
    const stalledMs = Math.max(0, this.#stalledUntilMs - currentMachine().time.nowMs);
    const wayMs = this.#random.nextBetween(DELAY_MS_MIN, DELAY_MS_MAX);
    return wayMs + this.faults.extraDelayMs + stalledMs;
  }

  answersPings(): boolean {
    return this.faults.answersPings;
  }

  handleUpgrade(): UpgradeOutcome {
    const { isDown, status } = this.faults;
    if (isDown) return 'refuse';
    return status === null ? 'open' : { status };
  }

  handleOpen(socket: HostSocket): void {
    this.#connections.set(socket, { socket, subscriptions: new Map() });
  }

  handleClose(socket: HostSocket): void {
    this.#connections.delete(socket);
  }

  handleMessage(socket: HostSocket, text: string): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || this.faults.subscribes === 'silent') return;
    const { id, method, params = [] } = JSON.parse(text) as RpcRequest;
    if (this.faults.subscribes === 'refused') {
      const error = { code: -32603, message: 'Internal error' };
      this.#sendLate(socket, JSON.stringify({ jsonrpc: '2.0', error, id }));
      return;
    }
    const result = method.endsWith('Unsubscribe')
      ? connection.subscriptions.delete(params[0] as number)
      : this.#subscribe(connection, method, params);
    this.#sendLate(socket, JSON.stringify({ jsonrpc: '2.0', result, id }));
  }

  handleRequest(body: string): RequestOutcome {
    const { isDown, hanging, status, retryAfterSeconds } = this.faults;
    if (isDown) return 'refuse';
    const { id, method, params = [] } = JSON.parse(body) as RpcRequest;
    if (hanging.has(method) || hanging.has('*')) return 'hang';
    if (hanging.has('users') && isUserScan(method, params)) return 'hang';
    if (status !== null) {
      const headers = retryAfterSeconds === null ? {} : { 'retry-after': `${retryAfterSeconds}` };
      return { status, headers, parts: partsOf('overloaded') };
    }
    const refusal = this.#refuse(method, params);
    const result = refusal === null ? this.#answer(method, params) : null;
    const text =
      refusal !== null
        ? `{"jsonrpc":"2.0",${refusal},"id":${id}}`
        : result === null
          ? `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":${id}}`
          : `{"jsonrpc":"2.0","result":${result},"id":${id}}`;
    if (this.faults.tricklesScans && isUserScan(method, params)) return trickledReply(text);
    return spoiledReply(text, this.faults, this.#random);
  }

  handleSlot(slot: number, _ended: number, parent: number): void {
    const ahead = this.#slotsAhead + this.faults.announcedAhead;
    const told = slot + ahead;
    const result = `{"parent":${parent + ahead},"root":${told - 31},"slot":${told}}`;
    this.#notify('slot', null, ({ id }) => notification('slotNotification', result, id));
  }

  /** A transaction is confirmed. */
  handleFill(fill: ModelFill): void {
    this.#notifyLogs(fill, fill.lines);
  }

  /** The transaction that wrote users is confirmed. */
  handleWriteLog(log: WriteLog): void {
    this.#notifyLogs(log, this.faults.cutsLogs ? ['Log truncated'] : this.#losses.linesOf(log));
  }

  /** The signature of one of the last fills. */
  recentSignature(random: Random): string | null {
    return random.pickOne(this.#ledger.fills.slice(-20))?.signature ?? null;
  }

  /** Notifies of a user that the chain never had. */
  notifyMadeUpUser(): void {
    const madeUp = madeUpUser(this.#chain, this.#random);
    if (madeUp !== null) this.handleState(madeUp);
  }

  handleState(state: AccountState): void {
    if (this.#connections.size === 0 || state.isPassing) return;
    const kind = kindOf(state);
    const isRevert = state.slot < (state.before?.slot ?? 0);
    if (isRevert && kind === 'user' && this.faults.hidesReverts) return;
    if (kind === 'user' && this.#losses.losesUser(state, this.faults)) {
      this.damage.lost += 1;
      return;
    }
    const slot = state.slot - this.#random.nextBelow(this.faults.lowerSlots + 1);
    const told = this.#toldState(state);
    this.#notify(kind, state, ({ id, encoding, pubkey }) => {
      const account = accountText(told, encoding);
      const value = pubkey === null ? `{"pubkey":"${state.pubkey}","account":${account}}` : account;
      const method = pubkey === null ? 'programNotification' : 'accountNotification';
      return notification(method, `{"context":{"slot":${slot}},"value":${value}}`, id);
    });
  }

  #notifyLogs(of: Pick<WriteLog, 'signature' | 'slot'>, logs: readonly string[]): void {
    const told = this.#toldLines(logs, of.slot);
    const value = JSON.stringify({ signature: of.signature, err: null, logs: told });
    const result = `{"context":{"slot":${of.slot}},"value":${value}}`;
    this.#notify('logs', null, ({ id }) => notification('logsNotification', result, id));
  }

  #toldLines(lines: readonly string[], slot: number): readonly string[] {
    return this.faults.foreignLogs ? withForeignLines(lines, slot) : lines;
  }

  #subscribe(connection: Connection, method: string, params: readonly unknown[]): number {
    const id = this.#nextSubscription;
    this.#nextSubscription += 1;
    const { filters = [], encoding = 'base64' } = (params[1] ?? {}) as Config;
    const pubkey = method === 'accountSubscribe' ? (params[0] as string) : null;
    const owner = method === 'programSubscribe' ? (params[0] as string) : null;
    const kind = subscribedKind(method, pubkey, filters);
    connection.subscriptions.set(id, { id, kind, pubkey, owner, filters, encoding });
    return id;
  }

  #notify(
    kind: NotifiedKind,
    state: AccountState | null,
    write: (subscription: Subscription) => string,
  ): void {
    for (const { socket, subscriptions } of this.#connections.values()) {
      for (const subscription of subscriptions.values()) {
        if (!isOf(subscription, kind, state)) continue;
        if (this.faults.silent.has(kind)) this.damage.silenced += 1;
        else this.#sendDamaged(socket, kind, write(subscription));
      }
    }
  }

  #sendDamaged(socket: HostSocket, kind: NotifiedKind, text: string): void {
    const { lost, doubled, swapped, malformed, wrongZstd } = this.faults;
    if (kind === 'slot' || lost + doubled + swapped + malformed + wrongZstd === 0) {
      this.#sendLate(socket, text);
      return;
    }
    const chance = this.#random.nextBelow(1_000_000) / 1_000_000;
    if (chance < lost) this.damage.lost += 1;
    else if (chance < lost + doubled) {
      this.damage.doubled += 1;
      this.#sendLate(socket, text);
      this.#sendLate(socket, text);
    } else if (chance < lost + doubled + swapped) {
      this.damage.swapped += 1;
      currentMachine().time.plan(this.#random.nextBelow(SWAPPED_MS), () => socket.send(text));
    } else if (chance < lost + doubled + swapped + malformed) {
      this.damage.malformed += 1;
      this.#sendLate(socket, spoiled(text, this.#random));
    } else if (chance > 1 - wrongZstd) this.#sendLate(socket, withWrongZstd(text));
    else this.#sendLate(socket, text);
  }

  #sendLate(socket: HostSocket, text: string): void {
    const { socketBehindMs } = this.faults;
    if (socketBehindMs === 0) socket.send(text);
    else currentMachine().time.plan(socketBehindMs, () => socket.send(text));
  }

  /** The text of a result; null for a method that the node does not have. */
  #answer(method: string, params: readonly unknown[]): string | null {
    if (method === 'getGenesisHash') {
      return `"${this.faults.hasOtherGenesis ? OTHER_GENESIS : this.#chain.genesisHash}"`;
    }
    const slotsAhead = this.#contextSlot - this.#chain.slot;
    if (method === 'getSlot') {
      const { commitment } = (params[0] ?? {}) as ListConfig;
      return `${this.#ledger.slotAt(commitment) + slotsAhead}`;
    }
    if (method === 'getBlockTime') {
      return this.#readBlockTime(params[0] as number);
    }
    if (method === 'getFirstAvailableBlock') return '1';
    if (method === 'getSignaturesForAddress')
      return this.#listTransactions(params[1] as ListConfig);
    if (method === 'getTransaction') return this.#readTransaction(params[0] as string);
    if (method === 'getSignatureStatuses') return this.#readStatuses(params[0] as string[]);
    if (method === 'getProgramAccounts')
      return this.#scan(params[0] as string, params[1] as Config);
    if (method === 'getMultipleAccounts') {
      return this.#readAccounts(params[0] as string[], params[1] as Config);
    }
    return null;
  }

  /** A slot that it tells too high stands for an earlier one; one of a node that is behind is what it is. */
  #readBlockTime(slot: number): string {
    const { readingSlotsAhead, clockErrorSeconds } = this.faults;
    const trueSlot = slot - this.#slotsAhead - readingSlotsAhead;
    return `${this.#chain.secondOf(trueSlot) + clockErrorSeconds}`;
  }

  #listTransactions(config: ListConfig): string {
    const { clockErrorSeconds } = this.faults;
    const rows = this.#ledger.list(config).map(({ signature, slot }) => {
      const blockTime = this.#chain.secondOf(slot) + clockErrorSeconds;
      return { signature, slot, err: null, memo: null, blockTime };
    });
    return JSON.stringify(rows);
  }

  #readTransaction(signature: string): string {
    const write = this.#ledger.findWrite(signature);
    if (write !== undefined) return transactionText(write);
    const fill = this.#ledger.find(signature);
    if (fill === undefined) return 'null';
    const { slot, lines } = fill;
    return JSON.stringify({
      slot,
      blockTime: this.#chain.secondOf(slot),
      meta: { err: null, logMessages: this.#toldLines(lines, slot) },
    });
  }

  /** The members of a response that refuses a fill, or accounts; null for what is given. */
  #refuse(method: string, [item, config]: readonly unknown[]): string | null {
    const { refused, spoilt } = this.faults;
    const isSpoilt =
      method === 'getMultipleAccounts' && [...spoilt].some((key) => `${item}`.includes(key));
    if (isSpoilt || this.#refusesPage(method, config)) return REFUSALS['internal error'];
    if (method !== 'getTransaction') return null;
    const signature = item as string;
    const isRefused =
      refused !== null && (this.#ledger.find(signature)?.id ?? 0) % REFUSED_ONE_IN === 1;
    const says = this.refusedForEver.get(signature) ?? (isRefused ? refused.says : null);
    if (says === null) return null;
    if (refused?.isForEver === true) this.refusedForEver.set(signature, says);
    const lastMs = currentMachine().time.nowMs;
    const { firstMs = lastMs } = this.refusedMs.get(signature) ?? {};
    this.refusedMs.set(signature, { firstMs, lastMs });
    return REFUSALS[says];
  }

  #refusesPage(method: string, config: unknown): boolean {
    const { refusedPage } = this.faults;
    if (method !== 'getSignaturesForAddress' || refusedPage === null) return false;
    return this.#ledger.list(config as ListConfig).some((row) => row.signature === refusedPage);
  }

  #readStatuses(signatures: readonly string[]): string {
    const value = signatures.map((signature) => {
      const slot = this.#ledger.slotOf(signature);
      return slot === undefined ? null : { slot, err: null };
    });
    return JSON.stringify({ context: { slot: this.#contextSlot }, value });
  }

  /** The slot of whose end answers are: the present one has not ended. */
  get #answerSlot(): number {
    const { answersBehindSlots, frozenAtSlot } = this.faults;
    return frozenAtSlot ?? this.#chain.slot - answersBehindSlots;
  }

  get #contextSlot(): number {
    const { answersBehindSlots, readingSlotsAhead } = this.faults;
    return this.#chain.slot - answersBehindSlots + this.#slotsAhead + readingSlotsAhead;
  }

  get #slotsAhead(): number {
    const { slotsAhead, climbsFromSlot } = this.faults;
    const climbed = climbsFromSlot === null ? 0 : this.#chain.slot - climbsFromSlot;
    return slotsAhead + climbed * (CLIMB_FACTOR - 1);
  }

  #scan(owner: string, { filters = [], encoding = 'base64', withContext }: Config): string {
    const slot = this.#answerSlot;
    const found: string[] = [];
    const { scanShare, hidesMarkets } = this.faults;
    let users = 0;
    for (const pubkey of this.#chain.accounts.keys()) {
      const state = this.#chain.stateAt(pubkey, slot);
      if (state?.write?.owner !== owner || !matches(state.write.data, filters)) continue;
      if (kindOfData(state.write.data) === 'user') users += 1;
      else if (hidesMarkets) continue;
      const account = this.faults.spoilt.has(pubkey) ? '[7]' : accountText(state, encoding);
      found.push(`{"pubkey":"${pubkey}","account":${account}}`);
    }
    if (users > 0 && scanShare < 1) found.length = Math.floor(users * scanShare);
    const rows = `[${found.join()}]`;
    return withContext ? `{"context":{"slot":${this.#contextSlot}},"value":${rows}}` : rows;
  }

  #readAccounts(keys: readonly string[], { encoding = 'base64', commitment }: Config): string {
    const isConfirmed = commitment === 'confirmed';
    const behind = isConfirmed ? this.#chain.slot - this.#ledger.slotAt('confirmed') : 0;
    const slot = this.#answerSlot - behind;
    const rows = keys.map((key) => {
      const state = this.#chain.stateAt(key, slot);
      return state?.write == null ? 'null' : accountText(this.#toldState(state), encoding);
    });
    return `{"context":{"slot":${this.#contextSlot - behind}},"value":[${rows.join()}]}`;
  }

  /** The state as the node tells it: its Clock may be wrong. */
  #toldState(state: AccountState): AccountState {
    const { clockErrorSeconds } = this.faults;
    const slotsAhead = this.#slotsAhead;
    const isWrong = clockErrorSeconds !== 0 || slotsAhead !== 0;
    if (state.pubkey !== CLOCK_KEY || !isWrong || state.write === null) return state;
    const data = Buffer.from(state.write.data);
    data.writeBigUInt64LE(data.readBigUInt64LE(0) + BigInt(slotsAhead), 0);
    data.writeBigInt64LE(data.readBigInt64LE(32) + BigInt(clockErrorSeconds), 32);
    return { ...state, write: { ...state.write, data, base64: data.toString('base64') } };
  }
}

function isUserScan(method: string, params: readonly unknown[]): boolean {
  if (method !== 'getProgramAccounts') return false;
  const { filters = [] } = params[1] as Config;
  return kindOfFilters(filters) === 'user';
}

function kindOf({ pubkey, write }: AccountState): NotifiedKind {
  if (pubkey === CLOCK_KEY) return 'clock';
  return kindOfData(write?.data) ?? 'oracle';
}

function subscribedKind(
  method: string,
  pubkey: string | null,
  filters: readonly RpcFilter[],
): NotifiedKind {
  if (method === 'slotSubscribe') return 'slot';
  if (method === 'logsSubscribe') return 'logs';
  if (pubkey !== null) return pubkey === CLOCK_KEY ? 'clock' : 'oracle';
  return kindOfFilters(filters) ?? 'state';
}

/** The kind whose first bytes are asked for. */
function kindOfFilters(filters: readonly RpcFilter[]): NotifiedKind | undefined {
  const start = filters.find(({ memcmp }) => memcmp?.offset === 0)?.memcmp;
  return start === undefined ? undefined : kindOfData(bytesOf(start));
}

function isOf(
  { kind, pubkey, owner, filters }: Subscription,
  notified: NotifiedKind,
  state: AccountState | null,
): boolean {
  if (pubkey !== null) return pubkey === state?.pubkey;
  if (state === null || owner === null) return state === null && kind === notified;
  if (state.write?.owner !== owner) return false;
  return matches(state.write.data, filters);
}

function accountText({ write }: AccountState, encoding: Encoding): string {
  if (write === null) {
    return '{"data":["","base64"],"executable":false,"lamports":0,"owner":"11111111111111111111111111111111","rentEpoch":0,"space":0}';
  }
  const { owner, data, base64, zstd } = write;
  const text = encoding === 'base64' ? base64 : zstd;
  return `{"data":["${text}","${encoding}"],"executable":false,"lamports":1,"owner":"${owner}","rentEpoch":0,"space":${data.length}}`;
}

function notification(method: string, result: string, subscription: number): string {
  return `{"jsonrpc":"2.0","method":"${method}","params":{"result":${result},"subscription":${subscription}}}`;
}
