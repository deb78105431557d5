/** A Solana RPC node that serves a scripted chain, and does it badly where a test says so. */
import { Random } from '../src/sim/random.js';
import { type ChainWrite, type Encoding, encoded, type ScriptedChain } from './scripted-chain.js';
import { type Reply, ScriptedRpc, type SeenSubscription } from './scripted-rpc.js';
import { matches, type RpcFilter } from './support/rpc-filter.js';

/** What is wrong with a node; shares are of its account notifications, 0 to 1. */
export interface NodeFaults {
  lost: number;
  /** Writes of which nobody is told, while slots go on. */
  silent: (write: ChainWrite) => boolean;
  /** Told twice, one right behind the other. */
  doubled: number;
  /** Told after the next one of the same account. */
  swapped: number;
  wrongZstd: number;
  cutJson: number;
  /** Notifications carry a slot that is up to so many too low. */
  lowerSlots: number;
  /** The socket announces slots that are so far ahead. */
  slotsAhead: number;
  /** Answers are as of so many slots ago, while the socket is up to date. */
  answersBehindSlots: number;
  /** The socket tells everything so late, while answers are up to date. */
  socketBehindMs: number;
  /** Which accounts a scan gives, of those that it should. */
  scan: (rows: readonly ChainWrite[]) => readonly ChainWrite[];
  scanEncoding: Encoding | undefined;
  /** Answers go out in packets of so many bytes; 0 for whole ones. */
  chunkBytes: number;
  /** Answers a request instead of the chain, where it answers. */
  instead: (method: string) => Reply | undefined;
  subscribes: 'answered' | 'silent';
}

const SOUND: NodeFaults = {
  lost: 0,
  silent: () => false,
  doubled: 0,
  swapped: 0,
  wrongZstd: 0,
  cutJson: 0,
  lowerSlots: 0,
  slotsAhead: 0,
  answersBehindSlots: 0,
  socketBehindMs: 0,
  scan: (rows) => rows,
  scanEncoding: undefined,
  chunkBytes: 0,
  instead: () => undefined,
  subscribes: 'answered',
};

interface Config {
  readonly encoding?: Encoding;
  readonly filters?: readonly RpcFilter[];
}

/** Counts of what was done to notifications. */
export interface NodeDamage {
  lost: number;
  doubled: number;
  swapped: number;
  wrongZstd: number;
  cutJson: number;
}

/**
 * One node on one loopback port, HTTP and WebSocket. It can be stopped and started again on its
 * port, with the same chain or another one.
 */
export class ScriptedNode {
  readonly damage: NodeDamage = { lost: 0, doubled: 0, swapped: 0, wrongZstd: 0, cutJson: 0 };
  faults: NodeFaults = { ...SOUND };
  readonly #random: Random;
  #rpc: ScriptedRpc;
  #chain: ScriptedChain;
  #leave: () => void = () => undefined;
  readonly #heldBack = new Map<string, ChainWrite>();
  readonly #late: LateMessage[] = [];

  private constructor(rpc: ScriptedRpc, chain: ScriptedChain, seed: number) {
    this.#rpc = rpc;
    this.#chain = chain;
    this.#random = new Random(seed);
    this.#serve();
  }

  static async start(chain: ScriptedChain, { seed = 1 } = {}): Promise<ScriptedNode> {
    return new ScriptedNode(await ScriptedRpc.start(), chain, seed);
  }

  get rpcUrl(): string {
    return this.#rpc.rpcUrl;
  }

  get wsUrl(): string {
    return this.#rpc.wsUrl;
  }

  get rpc(): ScriptedRpc {
    return this.#rpc;
  }

  /** From now on the node is sound but for this. */
  suffer(faults: Partial<NodeFaults>): void {
    this.faults = { ...SOUND, ...faults };
  }

  cut(): void {
    this.#rpc.cut();
  }

  /** Ends the node: its port refuses connections. */
  async stop(): Promise<void> {
    this.#leave();
    this.#leave = () => undefined;
    await this.#rpc.stop();
  }

  /** Starts the node again on its port. */
  async restart(chain: ScriptedChain = this.#chain): Promise<void> {
    this.#chain = chain;
    this.#rpc = await ScriptedRpc.start(this.#rpc.port);
    this.#serve();
  }

  #serve(): void {
    const rpc = this.#rpc;
    rpc.onSubscribe = () => (this.faults.subscribes === 'silent' ? 'silent' : 'ack');
    // Each connection gives the same few ids out, and to other subscriptions than the one before.
    rpc.subscriptionId = (count) => (count + rpc.upgrades * 3) % 64;
    this.#answer('getGenesisHash', () => this.#chain.genesisHash);
    this.#answer('getProgramAccounts', (params) => this.#scan(params[1] as Config));
    this.#answer('getMultipleAccounts', ([keys]) => this.#accounts(keys as string[]));
    this.#answer('getSlot', () => this.#slot);
    this.#leave = this.#chain.listen({
      written: (write) => this.#written(write),
      ticked: (slot) =>
        this.#tell(
          ({ method }) => method === 'slotSubscribe',
          () => ({ ...slot, slot: slot.slot + this.faults.slotsAhead }),
        ),
    });
  }

  #answer(method: string, result: (params: readonly unknown[]) => unknown): void {
    this.#rpc.answer(method, (params, id) => {
      const instead = this.faults.instead(method);
      if (instead !== undefined) return instead;
      const text = JSON.stringify({ jsonrpc: '2.0', result: result(params), id });
      const { chunkBytes } = this.faults;
      return chunkBytes === 0 ? { text } : { text, chunkBytes };
    });
  }

  get #slot(): number {
    return this.#chain.slot - this.faults.answersBehindSlots;
  }

  #scan({ filters = [], encoding = 'base64' }: Config): object {
    const slot = this.#slot;
    const { scan, scanEncoding = encoding } = this.faults;
    const found = [...this.#chain.accounts.keys()]
      .map((pubkey) => this.#chain.asOf(pubkey, slot))
      .filter((write) => write !== undefined && matches(write.bytes, filters)) as ChainWrite[];
    const value = scan(found).map((write) => {
      return { pubkey: write.pubkey, account: accountJson(write, scanEncoding) };
    });
    return { context: { apiVersion: '4.1.2', slot }, value };
  }

  #accounts(keys: readonly string[]): object {
    const slot = this.#slot;
    const value = keys.map((key) => {
      const write = this.#chain.asOf(key, slot);
      return write?.bytes == null ? null : accountJson(write, 'base64');
    });
    return { context: { apiVersion: '4.1.2', slot }, value };
  }

  #written(write: ChainWrite): void {
    const { lost, silent, doubled, swapped } = this.faults;
    if (silent(write) || this.#happens('lost', lost)) return;
    const earlier = this.#heldBack.get(write.pubkey);
    this.#heldBack.delete(write.pubkey);
    if (earlier === undefined && this.#happens('swapped', swapped)) {
      this.#heldBack.set(write.pubkey, write);
      return;
    }
    this.#notify(write);
    if (this.#happens('doubled', doubled)) this.#notify(write);
    if (earlier !== undefined) this.#notify(earlier);
  }

  #happens(what: keyof NodeDamage, share: number): boolean {
    if (share === 0 || this.#random.nextBelow(1_000_000) >= share * 1_000_000) return false;
    this.damage[what] += 1;
    return true;
  }

  #notify(write: ChainWrite): void {
    const context = { slot: write.slot - this.#random.nextBelow(this.faults.lowerSlots + 1) };
    this.#tell(
      ({ method, params }) => {
        if (method === 'accountSubscribe') return params[0] === write.pubkey;
        const { filters = [] } = (params[1] ?? {}) as Config;
        return method === 'programSubscribe' && matches(write.bytes, filters);
      },
      ({ method, params }) => {
        const { encoding = 'base64' } = params[1] as Config;
        const account = this.#harmed(accountJson(write, encoding), encoding);
        const value = method === 'accountSubscribe' ? account : { pubkey: write.pubkey, account };
        return { context, value };
      },
    );
  }

  /** A decoder meets a block type that is reserved, in the midst of a sound message. */
  #harmed(account: AccountJson, encoding: Encoding): AccountJson {
    if (encoding === 'base64' || !this.#happens('wrongZstd', this.faults.wrongZstd)) return account;
    const frame = Buffer.from(account.data[0], 'base64');
    frame.writeUInt8(frame.readUInt8(9) | 6, 9);
    return { ...account, data: [frame.toString('base64'), encoding] };
  }

  #tell(picks: (one: SeenSubscription) => boolean, result: (one: SeenSubscription) => object) {
    for (const one of this.#rpc.subscriptions.filter(picks)) {
      const { id: subscription, socket } = one;
      const method = one.method.replace('Subscribe', 'Notification');
      const params = { result: result(one), subscription };
      const whole = JSON.stringify({ jsonrpc: '2.0', method, params });
      const isCut = this.#happens('cutJson', this.faults.cutJson);
      const text = isCut ? whole.slice(0, this.#random.nextBelow(whole.length)) : whole;
      const { socketBehindMs } = this.faults;
      if (socketBehindMs === 0 && this.#late.length === 0) socket.send(text);
      else this.#sendLate({ atMs: performance.now() + socketBehindMs, socket, text });
    }
  }

  /** What is late stays in its order, also when the node is no longer late. */
  #sendLate(message: LateMessage): void {
    this.#late.push(message);
    if (this.#late.length > 1) return;
    const timer = setInterval(() => {
      for (let next = this.#late[0]; next !== undefined; next = this.#late[0]) {
        if (next.atMs > performance.now()) return;
        this.#late.shift();
        next.socket.send(next.text);
      }
      clearInterval(timer);
    }, LATE_BEAT_MS);
  }
}

/** How often it is looked what is due. */
const LATE_BEAT_MS = 2;

interface LateMessage {
  readonly atMs: number;
  readonly socket: SeenSubscription['socket'];
  readonly text: string;
}

interface AccountJson {
  readonly data: readonly [string, Encoding];
  readonly owner: string;
  readonly lamports: number;
  readonly executable: boolean;
  readonly rentEpoch: number;
  readonly space: number;
}

function accountJson({ owner, bytes }: ChainWrite, encoding: Encoding): AccountJson {
  const data: readonly [string, Encoding] = [
    bytes === null ? '' : encoded(bytes, encoding),
    encoding,
  ];
  const space = bytes?.length ?? 0;
  return { data, executable: false, lamports: space === 0 ? 0 : 1, owner, rentEpoch: 0, space };
}
