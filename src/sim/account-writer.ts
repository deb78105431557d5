import { ChainRpc } from './chain-rpc.js';
import type { AccountWrite } from './market-life.js';
import { SimError } from './sim-error.js';

/** Connections to the chain; beyond four Surfpool answers no faster. */
const LANES = 4;
/**
 * Writes waiting in all lanes together; beyond it the writer reports itself full and the life slows
 * down.
 */
const WAITING_MAX = 64;
/** Enough for any account, and above the rent-exempt minimum of the largest. */
const LAMPORTS = 100_000_000;

/**
 * Writes accounts into a Surfpool chain over its RPC. Writes of one account stay in order, because
 * an account has its lane and a lane has one request in flight; different accounts may overtake
 * each other.
 */
export class AccountWriter {
  readonly #rpc: ChainRpc;
  readonly #lanes: Promise<void>[] = Array.from({ length: LANES }, () => Promise.resolve());
  readonly #waiters: (() => void)[] = [];
  #waiting = 0;
  #written = 0;
  #failure: unknown;

  constructor(rpcUrl: string) {
    this.#rpc = new ChainRpc(rpcUrl, { connections: LANES });
  }

  /** Writes that the chain has confirmed. */
  get written(): number {
    return this.#written;
  }

  /** Whether the chain is behind: a write now would wait. */
  get isFull(): boolean {
    return this.#waiting >= WAITING_MAX;
  }

  /**
   * Takes a write; resolves at once while there is room, otherwise when there is. Throws what an
   * earlier write met.
   */
  async write(account: AccountWrite): Promise<void> {
    while (this.isFull && this.#failure === undefined) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting += 1;
    const lane = laneOf(account.pubkey);
    this.#lanes[lane] = (this.#lanes[lane] ?? Promise.resolve()).then(() => this.#send(account));
  }

  /** Waits until everything taken is written. Throws what a write met. */
  async flush(): Promise<void> {
    await Promise.all(this.#lanes);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Breaks the connections; what is in flight fails. */
  close(): void {
    this.#rpc.close();
  }

  async #send(account: AccountWrite): Promise<void> {
    if (this.#failure === undefined) {
      try {
        await this.#setAccount(account);
        this.#written += 1;
      } catch (error) {
        this.#failure = error;
      }
    }
    this.#waiting -= 1;
    for (const wake of this.#waiters.splice(0)) wake();
  }

  async #setAccount({ pubkey, owner, data }: AccountWrite): Promise<void> {
    const account = { lamports: LAMPORTS, owner, executable: false, data: data.toString('hex') };
    const answer = await this.#rpc.post('surfnet_setAccount', [pubkey, account]);
    // The answer of a success holds a result and nothing named error; its content does not matter.
    if (answer.includes('"error"')) {
      throw new SimError('ACCOUNT_WRITE_FAILED', `the chain refused account ${pubkey}: ${answer}`, {
        pubkey,
      });
    }
  }
}

function laneOf(pubkey: string): number {
  let sum = 0;
  for (let i = 0; i < pubkey.length; i += 1) sum += pubkey.charCodeAt(i);
  return sum % LANES;
}
