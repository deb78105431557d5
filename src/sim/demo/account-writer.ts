import { ChainRpc } from '../chain/chain-rpc.js';
import type { ProgramCall } from '../chain/program-call.js';
import { TransactionSender } from '../chain/transaction-sender.js';
import type { AccountWrite } from '../market/market-simulator.js';
import { SimError } from '../sim-error.js';

/** Connections to the chain; beyond four Surfpool is no faster. */
const CONNECTIONS = 4;
/**
 * Writes waiting for the chain; beyond it the writer reports itself full and the simulator slows down.
 */
const WAITING_MAX = 64;
/** Enough for any account, and above the rent-exempt minimum of the largest. */
const LAMPORTS = 100_000_000;

/**
 * Writes accounts into a Surfpool chain over its RPC, as a whole or by transactions. What concerns
 * one account stays in order; different accounts may overtake each other.
 */
export class AccountWriter {
  readonly #rpc: ChainRpc;
  /** The last that waits for each account. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #waiters: (() => void)[] = [];
  #sender: TransactionSender | undefined;
  #waiting = 0;
  /** Transactions among those that wait. */
  #sending = 0;
  #written = 0;
  #failure: unknown;

  constructor(rpcUrl: string) {
    this.#rpc = new ChainRpc(rpcUrl, { connections: CONNECTIONS });
  }

  /** Writes the program that transactions run to the chain. */
  async deployProgram(): Promise<void> {
    this.#sender = await TransactionSender.deployProgram(this.#rpc);
  }

  /** Writes of whole accounts that the chain has confirmed. */
  get writtenCount(): number {
    return this.#written;
  }

  /** Transactions that have taken effect. */
  get sentCount(): number {
    return this.#sender?.sentCount ?? 0;
  }

  /** Whether a transaction has not taken effect yet. */
  get isSending(): boolean {
    return this.#sending > 0;
  }

  /** Whether the chain is behind: a write now would wait. */
  get isFull(): boolean {
    return this.#waiting >= WAITING_MAX;
  }

  /**
   * Takes a write; resolves at once while there is room, otherwise when there is. Throws what an
   * earlier write met.
   */
  async writeAccount(account: AccountWrite): Promise<void> {
    await this.#enqueue([account.pubkey], async () => {
      await this.#setAccount(account);
      this.#written += 1;
    });
  }

  /** The same for a transaction, which is in order with the writes of each account it changes. */
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

  /** Waits until everything taken is written. Throws what a write met. */
  async flush(): Promise<void> {
    await Promise.all(this.#last.values());
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Breaks the connections; what is in flight fails. */
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

  /** Never rejects: a failure is stored for the next call. */
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
    // A success holds a result and nothing named error; its content does not matter.
    if (answer.includes('"error"')) {
      throw new SimError('ACCOUNT_WRITE_FAILED', `the chain refused account ${pubkey}: ${answer}`, {
        pubkey,
      });
    }
  }
}
