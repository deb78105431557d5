import { ChainRpc } from '../chain/chain-rpc.js';
import type { ProgramCall } from '../chain/program-call.js';
import { TransactionSender } from '../chain/transaction-sender.js';
import type { AccountWrite } from '../market/market-simulator.js';
import { SimError } from '../sim-error.js';

/** Number of connections to the chain; with more than four Surfpool is no faster. */
const CONNECTIONS = 4;
/**
 * Maximum queued writes; beyond it the writer reports itself full, and the simulator slows down.
 */
const WAITING_MAX = 64;
/** The balance of each account: above the rent-exempt minimum of the largest account. */
const LAMPORTS = 100_000_000;

/**
 * Writes accounts to a Surfpool chain over its RPC, as whole accounts or by transactions. Writes of
 * one account stay in order; writes of different accounts may be reordered.
 */
export class AccountWriter {
  readonly #rpc: ChainRpc;
  readonly #last = new Map<string, Promise<void>>();
  readonly #waiters: (() => void)[] = [];
  #sender: TransactionSender | undefined;
  #waiting = 0;
  /** Queued transactions. */
  #sending = 0;
  #written = 0;
  #failure: unknown;

  constructor(rpcUrl: string) {
    this.#rpc = new ChainRpc(rpcUrl, { connections: CONNECTIONS });
  }

  async deployProgram(programId?: string): Promise<void> {
    this.#sender = await TransactionSender.deployProgram(this.#rpc, programId);
  }

  get writtenCount(): number {
    return this.#written;
  }

  /** Executed transactions. */
  get sentCount(): number {
    return this.#sender?.sentCount ?? 0;
  }

  /** Whether a transaction is queued. */
  get isSending(): boolean {
    return this.#sending > 0;
  }

  /** Whether the chain lags, so that another write would wait. */
  get isFull(): boolean {
    return this.#waiting >= WAITING_MAX;
  }

  /** Queues a write; resolves when there is room. Throws the error of an earlier write. */
  async writeAccount(account: AccountWrite): Promise<void> {
    await this.#enqueue([account.pubkey], async () => {
      await this.#setAccount(account);
      this.#written += 1;
    });
  }

  /** Queues a transaction, in order with the writes of the accounts that it changes. */
  async sendCall(call: ProgramCall): Promise<void> {
    const sender = this.#sender;
    if (sender === undefined) throw new Error('Invariant: deploy comes before transactions');
    const accounts = call.patches.map(({ pubkey }) => pubkey);
    this.#sending += 1;
    await this.#enqueue(accounts, async () => {
      await sender.sendCall(call);
      this.#sending -= 1;
    });
  }

  /** Waits until all queued writes are done. Throws their error. */
  async flush(): Promise<void> {
    await Promise.all(this.#last.values());
    if (this.#failure !== undefined) throw this.#failure;
  }

  async readGenesisHash(): Promise<string> {
    return JSON.parse(await this.#rpc.postCall('getGenesisHash', [])).result;
  }

  /** Closes the connections; writes in flight fail. */
  close(): void {
    this.#rpc.close();
  }

  async #enqueue(accounts: readonly string[], task: () => Promise<void>): Promise<void> {
    while (this.isFull && this.#failure === undefined) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting += 1;
    const before = accounts.map((account) => this.#last.get(account));
    const done = Promise.all(before).then(() => this.#run(task));
    for (const account of accounts) this.#last.set(account, done);
    void done.then(() => {
      for (const account of accounts) {
        if (this.#last.get(account) === done) this.#last.delete(account);
      }
    });
  }

  /** Runs a task. Never rejects; the next call throws the failure. */
  async #run(task: () => Promise<void>): Promise<void> {
    if (this.#failure === undefined) {
      try {
        await task();
      } catch (error) {
        this.#failure = error;
      }
    }
    this.#waiting -= 1;
    for (const wake of this.#waiters.splice(0)) wake();
  }

  async #setAccount({ pubkey, owner, data }: AccountWrite): Promise<void> {
    const account = { lamports: LAMPORTS, owner, executable: false, data: data.toString('hex') };
    const answer = await this.#rpc.postCall('surfnet_setAccount', [pubkey, account]);
    // A successful response never contains "error", so its content is not parsed.
    if (answer.includes('"error"')) {
      throw new SimError('ACCOUNT_WRITE_FAILED', `the chain refused account ${pubkey}: ${answer}`, {
        pubkey,
      });
    }
  }
}
