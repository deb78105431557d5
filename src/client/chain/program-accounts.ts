/**
 * Follows the accounts of a program: a full scan, then each change, and another scan after each
 * lost connection and at an interval.
 */
import { ClientError } from '../error.js';
import { integer, object, objectOf } from '../fields.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { Connection, type ConnectionState } from '../stream/connection.js';
import { type AccountFilter, memcmpFilter, programAccount, Rpc, type RpcOptions } from './rpc.js';

/** The accounts to follow, and the node. */
interface ProgramAccountsOptions extends RpcOptions {
  /** The node's WebSocket address; by default {@link wsUrlOf} of the HTTP address. */
  readonly wsUrl?: string;
  readonly programId: string;
  /** The account filters, in sets, whose changes the node notifies. */
  readonly watched: readonly (readonly AccountFilter[])[];
  /**
   * The account filters, in sets, that are scanned at the start, after a lost connection, and at an
   * interval.
   */
  readonly read: readonly (readonly AccountFilter[])[];
  /** Interval between full scans, milliseconds; 300,000 by default. */
  readonly resyncMs?: number;
}

/** The callbacks of its owner. */
interface AccountsOwner {
  /** Called with a new or changed account; null bytes mean that the account was closed. */
  account(address: string, bytes: Uint8Array | null): void;
  /** Called when the accounts are complete, after the start or a lost connection. */
  synced(): void;
  /** Accounts may be missing until `synced`. */
  lost(): void;
  failed(error: ClientError): void;
}

type RequestId = number;

const SLOT_REQUEST: RequestId = 1;
const FIRST_QUERY_REQUEST: RequestId = 2;

/** Follows the accounts while it is open. */
export class ProgramAccounts {
  readonly rpc: Rpc;
  readonly slots = new Listeners<bigint>();
  readonly #options: ProgramAccountsOptions;
  readonly #owner: AccountsOwner;
  readonly #connection: Connection;
  /** Accounts that are there. */
  readonly #known = new Set<string>();
  /** Accounts that were notified during the scan: it is unknown which version is newer. */
  #changedMeanwhile: Set<string> | null = null;
  #acknowledged = new Set<RequestId>();
  #reading = new AbortController();
  #cancelTimer: () => void = () => {};
  #cancelSilence: () => void = () => {};

  constructor(options: ProgramAccountsOptions, owner: AccountsOwner) {
    this.#options = options;
    this.#owner = owner;
    this.rpc = new Rpc(options);
    const address = options.wsUrl ?? wsUrlOf(options.rpcUrl);
    this.#connection = new Connection(
      { ...options, address },
      {
        onOpen: () => this.#subscribeAll(),
        onMessage: (data) => typeof data === 'string' && this.#handleMessage(data),
        onDisconnect: () => this.#handleDisconnect(),
      },
    );
    let before: ConnectionState = 'idle';
    this.#connection.states.add((state) => {
      if (before === 'connecting' && state === 'pausing') {
        const message = `no connection to ${new URL(address).host}`;
        this.#owner.failed(new ClientError('UNREACHABLE', message));
      }
      before = state;
    });
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  /**
   * Registers a listener for the start and the end of connections; returns its unsubscribe
   * function.
   */
  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#connection.states.add(listener);
  }

  open(): void {
    this.#connection.open();
  }

  close(): void {
    this.#connection.close();
    this.#stopReading();
  }

  /**
   * Aborted when the connection is lost or closed, because anything read for it is then useless.
   */
  get signal(): AbortSignal {
    return this.#reading.signal;
  }

  #subscribeAll(): void {
    this.#stopReading();
    this.#reading = new AbortController();
    this.#acknowledged = new Set();
    this.#changedMeanwhile = new Set();
    this.rpc.noteSlot(0n);
    const { programId, watched } = this.#options;
    this.#sendRequest(SLOT_REQUEST, 'slotSubscribe', []);
    for (const [index, filters] of watched.entries()) {
      const options = {
        encoding: 'base64',
        commitment: 'processed',
        filters: filters.map(memcmpFilter),
      };
      this.#sendRequest(FIRST_QUERY_REQUEST + index, 'programSubscribe', [programId, options]);
    }
    const { clock } = this.#connection;
    this.#cancelTimer = clock.after(limits.RPC_SUBSCRIBE_MS_MAX, () => this.#connection.restart());
    this.#watchSilence();
  }

  #sendRequest(id: RequestId, method: string, params: readonly unknown[]): void {
    this.#connection.sendMessage({ jsonrpc: '2.0', id, method, params });
  }

  #handleMessage(json: string): void {
    try {
      const message = objectOf(JSON.parse(json), 'message');
      if (message['method'] === 'slotNotification') this.#handleSlot(message['params']);
      else if (message['method'] === 'programNotification') this.#handleAccount(message['params']);
      else if ('error' in message) this.#throwRefusal(message['error']);
      else if ('result' in message) this.#handleSubscribed(integer(message['id'], 'id'));
    } catch (cause) {
      const isOurs = cause instanceof ClientError;
      const unreadable = (): ClientError =>
        new ClientError('MALFORMED_ANSWER', 'a message of the node is not JSON', {}, { cause });
      this.#owner.failed(isOurs ? cause : unreadable());
      // The account whose change was unreadable may be wrong from now on, so the connection
      // restarts.
      this.#connection.restart();
    }
  }

  #throwRefusal(error: unknown): void {
    const { message } = objectOf(error, 'error');
    const text = String(message).slice(0, limits.TEXT_CHARS_MAX);
    throw new ClientError('REFUSED', `the node refused a subscription: ${text}`);
  }

  #handleSubscribed(id: bigint): void {
    this.#acknowledged.add(Number(id));
    if (this.#acknowledged.size !== this.#options.watched.length + 1) return;
    this.#cancelTimer();
    void this.#scanAccounts();
  }

  #handleSlot(params: unknown): void {
    this.#watchSilence();
    const { result } = object({ result: object({ slot: integer }) })(params, 'slot');
    this.slots.emit(result.slot);
  }

  #watchSilence(): void {
    this.#cancelSilence();
    const { clock } = this.#connection;
    this.#cancelSilence = clock.after(limits.RPC_SILENCE_MS_MAX, () => this.#connection.restart());
  }

  #handleAccount(params: unknown): void {
    const read = object({
      result: object({ context: object({ slot: integer }), value: programAccount }),
    });
    const { context, value } = read(params, 'notification').result;
    const { address, bytes } = value;
    this.rpc.noteSlot(context.slot);
    this.#changedMeanwhile?.add(address);
    this.#emitAccount(address, bytes.length === 0 ? null : bytes);
  }

  #emitAccount(address: string, bytes: Uint8Array | null): void {
    if (bytes === null) this.#known.delete(address);
    else this.#known.add(address);
    this.#owner.account(address, bytes);
  }

  /**
   * Scans all accounts. Accounts that were notified during the scan are read again, until none
   * changes during a read, so that no slots need to be compared.
   */
  async #scanAccounts(): Promise<void> {
    const { signal } = this.#reading;
    this.#changedMeanwhile ??= new Set();
    try {
      const { programId, read } = this.#options;
      const gone = new Set(this.#known);
      for (const filters of read) {
        for (const { address, bytes } of await this.rpc.fetchProgramAccounts(
          programId,
          filters,
          signal,
        )) {
          gone.delete(address);
          if (!this.#changedMeanwhile.has(address)) this.#emitAccount(address, bytes);
        }
      }
      for (const address of gone)
        if (!this.#changedMeanwhile.has(address)) this.#emitAccount(address, null);
      await this.#rereadChanged(signal);
      this.#changedMeanwhile = null;
      this.#connection.resetBackoff();
      this.#owner.synced();
      const resyncMs = this.#options.resyncMs ?? limits.RESYNC_MS;
      this.#cancelTimer = this.#connection.clock.after(resyncMs, () => void this.#scanAccounts());
    } catch (cause) {
      if (signal.aborted) return;
      this.#handleFailure(cause);
    }
  }

  async #rereadChanged(signal: AbortSignal): Promise<void> {
    for (let round = 0; round < limits.REREAD_ROUNDS_MAX; round += 1) {
      const addresses = [...(this.#changedMeanwhile ?? [])];
      if (addresses.length === 0) return;
      const notified = new Set<string>();
      this.#changedMeanwhile = notified;
      const accounts = await this.rpc.fetchAccounts(addresses, signal);
      for (const [index, address] of addresses.entries()) {
        if (!notified.has(address)) this.#emitAccount(address, accounts[index] ?? null);
      }
    }
  }

  #handleFailure(cause: unknown): void {
    const error =
      cause instanceof ClientError
        ? cause
        : new ClientError('UNREACHABLE', 'the accounts could not be read', {}, { cause });
    this.#owner.failed(error);
    this.#connection.restart();
  }

  #handleDisconnect(): void {
    this.#stopReading();
    this.#owner.lost();
  }

  #stopReading(): void {
    this.#reading.abort();
    this.#cancelTimer();
    this.#cancelSilence();
  }
}

/**
 * Derives a node's WebSocket address from its HTTP address: `ws` for `http`, and the next port if a
 * port is given. Throws INVALID_OPTION for an invalid address.
 */
export function wsUrlOf(rpcUrl: string): string {
  const [, tls, host, port, path = ''] =
    /^http(s?):\/\/([^/:?#]+|\[[^\]]+\])(?::(\d+))?([/?#].*)?$/.exec(rpcUrl) ?? [];
  if (host === undefined) {
    const message = `rpcUrl was ${rpcUrl}, must begin with http:// or https://`;
    throw new ClientError('INVALID_OPTION', message);
  }
  return `ws${tls}://${host}${port === undefined ? '' : `:${Number(port) + 1}`}${path}`;
}
