import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { LocalChain } from '../../src/sim/chain/chain-process.js';
import { AccountWriter } from '../../src/sim/demo/account-writer.js';
import { type AccountWrite, MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { Relay } from '../../src/sim/relay/relay.js';
import { rpc } from './chain-listener.js';
import type { AccountBytes } from './local-books.js';

/** Size of a Pyth Lazer account, the only kind of oracle on this chain. */
const ORACLE_BYTES = 48;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/** The result of getProgramAccounts with context. */
interface ProgramAccounts {
  readonly value: readonly {
    readonly pubkey: string;
    readonly account: { readonly data: readonly [string, string] };
  }[];
}

/**
 * The demo's chain, relay and market life, made of the same parts, that moves only when it is told
 * to: between two steps the chain has new slots and no new account.
 */
export class SteppedDemo {
  readonly #writer: AccountWriter;

  private constructor(
    readonly chain: LocalChain,
    readonly relay: Relay,
    readonly life: MarketSimulator,
  ) {
    this.#writer = new AccountWriter(chain.rpcUrl);
    chain.onSlot(({ slot }) => relay.noteSlot(slot));
  }

  /** Starts a chain and writes the first state of everything into it. */
  static async start(options: {
    readonly seed: number;
    readonly makers: number;
    readonly slotTimeMs: number;
    /** As many as a life has when it is not given. */
    readonly fillsPerSecond?: number;
  }): Promise<SteppedDemo> {
    const { slotTimeMs, ...rest } = options;
    const life = new MarketSimulator({ ...rest, statusChanges: 'some' });
    const chain = await LocalChain.start({ slotTimeMs });
    const demo = new SteppedDemo(chain, await Relay.start(chain), life);
    await new Promise<void>((resolve) => chain.onSlot(() => resolve()));
    await demo.#writer.deployProgram();
    await demo.write(...life.createGenesis(demo.clock));
    return demo;
  }

  /** Lets the market run until the returned function is called. */
  keepMoving(): () => Promise<void> {
    let isOver = false;
    const moving = (async () => {
      while (!isOver) await this.step(2);
    })();
    return async () => {
      isOver = true;
      await moving;
    };
  }

  /** The chain's own slot and second. */
  get clock(): { readonly slot: number; readonly unixSeconds: number } {
    if (this.chain.clock === undefined) throw new Error('the chain has no clock yet');
    return this.chain.clock;
  }

  /** Continues the scenario for at least this many account writes, and waits until they are written. */
  async step(writes: number): Promise<void> {
    for (let written = 0; written < writes; ) {
      const { call, writes: accounts } = this.life.nextStep(this.clock);
      if (call !== undefined) await this.#writer.sendCall(call);
      else for (const account of accounts) await this.#writer.writeAccount(account);
      written += accounts.length;
    }
    await this.#writer.flush();
  }

  /** Writes whole accounts, and waits until they are written. */
  async write(...accounts: readonly AccountWrite[]): Promise<void> {
    for (const account of accounts) await this.#writer.writeAccount(account);
    await this.#writer.flush();
  }

  /** Writes bytes into an account of the program. */
  async writeBytes(pubkey: string, data: Buffer): Promise<void> {
    await this.write({ pubkey, owner: PROGRAM_ID, data });
  }

  /** Ends an account as a program does: no lamports, no data, owned by the system. */
  async close(pubkey: string): Promise<void> {
    const nothing = { lamports: 0, owner: SYSTEM_PROGRAM, executable: false, data: '' };
    await rpc(this.chain.rpcUrl, 'surfnet_setAccount', [pubkey, nothing]);
  }

  /** All accounts of the program as they stand on the chain now. */
  async accounts(): Promise<AccountBytes[]> {
    const texts = await this.#read('base64');
    return Array.from(texts, ([pubkey, text]) => ({ pubkey, data: Buffer.from(text, 'base64') }));
  }

  /** The same accounts as texts of an RPC, in the encoding in which each kind is subscribed to. */
  async texts(): Promise<Map<string, string>> {
    const plain = await this.#read('base64');
    const packed = await this.#read('base64+zstd');
    const isOracle = (text: string) => Buffer.from(text, 'base64').length === ORACLE_BYTES;
    return new Map(
      Array.from(plain, ([key, text]) => [key, isOracle(text) ? text : (packed.get(key) ?? '')]),
    );
  }

  async #read(encoding: string): Promise<Map<string, string>> {
    const config = { encoding, commitment: 'processed', withContext: true };
    const { rpcUrl } = this.chain;
    const answer = await rpc<ProgramAccounts>(rpcUrl, 'getProgramAccounts', [PROGRAM_ID, config]);
    return new Map(answer.value.map(({ pubkey, account }) => [pubkey, account.data[0]]));
  }

  async stop(): Promise<void> {
    this.#writer.close();
    await this.relay.stop();
    await this.chain.stop();
  }
}
