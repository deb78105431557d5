/** A Solana RPC node that serves a scripted chain. Nodes that do it badly are those of `simulation/model-node.ts`. */
import { type ChainWrite, type Encoding, encoded, type ScriptedChain } from './scripted-chain.js';
import { ScriptedRpc, type SeenSubscription, send } from './scripted-rpc.js';
import { matches, type RpcFilter } from './support/rpc-filter.js';

interface Config {
  readonly encoding?: Encoding;
  readonly filters?: readonly RpcFilter[];
}

/** One node on one loopback port, HTTP and WebSocket. */
export class ScriptedNode {
  readonly #leave: () => void;

  private constructor(
    readonly rpc: ScriptedRpc,
    readonly chain: ScriptedChain,
  ) {
    rpc.answer('getGenesisHash', () => ({ result: chain.genesisHash }));
    rpc.answer('getSlot', () => ({ result: chain.slot }));
    rpc.answer('getProgramAccounts', (params) => ({ result: this.#scan(params[1] as Config) }));
    rpc.answer('getMultipleAccounts', ([keys]) => ({ result: this.#accounts(keys as string[]) }));
    rpc.answer('getAccountInfo', ([key]) => ({ result: this.#account(key as string) }));
    this.#leave = chain.listen({
      written: (write) => this.#notify(write),
      ticked: (slot) => rpc.notify(({ method }) => method === 'slotSubscribe', slot),
    });
  }

  static async start(chain: ScriptedChain): Promise<ScriptedNode> {
    return new ScriptedNode(await ScriptedRpc.start(), chain);
  }

  get rpcUrl(): string {
    return this.rpc.rpcUrl;
  }

  get wsUrl(): string {
    return this.rpc.wsUrl;
  }

  /** Ends the node: its port refuses connections. */
  async stop(): Promise<void> {
    this.#leave();
    await this.rpc.stop();
  }

  #scan({ filters = [], encoding = 'base64' }: Config): object {
    const found = [...this.chain.accounts.values()].filter(({ bytes }) => matches(bytes, filters));
    const value = found.map((write) => {
      return { pubkey: write.pubkey, account: accountJson(write, encoding) };
    });
    return { context: { apiVersion: '4.1.2', slot: this.chain.slot }, value };
  }

  #accounts(keys: readonly string[]): object {
    return { ...this.#account(''), value: keys.map((key) => this.#account(key).value) };
  }

  #account(key: string): { readonly context: object; readonly value: object | null } {
    const write = this.chain.accounts.get(key);
    const value = write?.bytes == null ? null : accountJson(write, 'base64');
    return { context: { apiVersion: '4.1.2', slot: this.chain.slot }, value };
  }

  #notify(write: ChainWrite): void {
    for (const subscription of this.rpc.subscriptions.filter((one) => isOf(one, write))) {
      const { method, params } = subscription;
      const { encoding = 'base64' } = params[1] as Config;
      const account = accountJson(write, encoding);
      const value = method === 'accountSubscribe' ? account : { pubkey: write.pubkey, account };
      send(subscription, { context: { slot: write.slot }, value });
    }
  }
}

function isOf({ method, params }: SeenSubscription, { pubkey, bytes }: ChainWrite): boolean {
  if (method === 'accountSubscribe') return params[0] === pubkey;
  const { filters = [] } = (params[1] ?? {}) as Config;
  return method === 'programSubscribe' && matches(bytes, filters);
}

function accountJson({ owner, bytes }: ChainWrite, encoding: Encoding): object {
  const data = [bytes === null ? '' : encoded(bytes, encoding), encoding];
  const space = bytes?.length ?? 0;
  return { data, executable: false, lamports: space === 0 ? 0 : 1, owner, rentEpoch: 0, space };
}
