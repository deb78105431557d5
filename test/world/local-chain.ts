/**
 * Stands in for the process of a local chain: the model chain and a sound node of it, on a port of the world, with
 * the calls by which accounts are written and transactions sent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Transaction } from '@solana/web3.js';
import { type WebSocket, WebSocketServer } from 'ws';
import { encodeBase58 } from '../../src/history/store/base58.js';
import { keyOf } from '../../src/sim/bytes/keys.js';
import type {
  AnnouncedClock,
  ChainExit,
  LocalChainOptions,
} from '../../src/sim/chain/chain-process.js';
import { currentMachine } from '../simulation/globals.js';
import { NO_LIFE, writeOf } from '../simulation/market-life.js';
import { ModelChain } from '../simulation/model-chain.js';
import { type ModelFill, ModelLedger } from '../simulation/model-ledger.js';
import { ModelNode } from '../simulation/model-node.js';
import type { HostSocket } from '../simulation/network.js';
import { createServer } from './http.js';
import { runScript } from './program-run.js';

interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An account as it is written by a call, its data in hexadecimals. */
interface WrittenAccount {
  readonly owner: string;
  readonly data: string;
}

type Call = (params: readonly unknown[]) => unknown;

/** A chain in memory that is reached, written to and stopped as the process is. */
export class LocalChain {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly pid = undefined;
  readonly exited: Promise<ChainExit>;
  readonly #chain: ModelChain;
  readonly #ledger: ModelLedger;
  readonly #node: ModelNode;
  readonly #server: ReturnType<typeof createServer>;
  readonly #listeners = new Set<(clock: AnnouncedClock) => void>();
  /** Transactions of the present slot, which are confirmed at its end. */
  #landed: ModelFill[] = [];
  /** What clients sent while the chain was paused; null while it runs. */
  #held: (() => void)[] | null = null;
  #end: (exit: ChainExit) => void = () => undefined;
  hasEnded = false;

  private constructor(slotMs: number, server: ReturnType<typeof createServer>) {
    const { time, random } = currentMachine();
    const startMs = time.nowMs;
    const seed = random.nextBelow(2 ** 31);
    const chain = new ModelChain({ time, life: NO_LIFE, seed, slotMs, startMs });
    this.#chain = chain;
    this.#ledger = new ModelLedger(chain, null);
    this.#node = new ModelNode({ name: 'local', chain, ledger: this.#ledger, seed: 1 });
    this.#server = server;
    const { port } = server.address() as { readonly port: number };
    this.rpcUrl = `http://127.0.0.1:${port}`;
    this.wsUrl = `ws://127.0.0.1:${port}`;
    this.exited = new Promise((resolve) => {
      this.#end = resolve;
    });
    chain.listen({ handleState: () => undefined, handleSlot: () => this.#beginSlot() });
    chain.start();
  }

  static async start({ slotTimeMs = 400 }: LocalChainOptions = {}): Promise<LocalChain> {
    const server = createServer({}, (incoming, outgoing) => void chain.#serve(incoming, outgoing));
    const sockets = new WebSocketServer({ server: server as never, autoPong: false });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const chain = new LocalChain(slotTimeMs, server);
    sockets.on('connection', (socket) => chain.#connect(socket));
    return chain;
  }

  /** The clock that is announced with a slot; undefined before the first new one. */
  get clock(): AnnouncedClock | undefined {
    return { slot: this.#chain.slot, unixSeconds: this.#chain.secondOf(this.#chain.slot) };
  }

  onSlot(listener: (clock: AnnouncedClock) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  pause(): void {
    this.#held ??= [];
    this.#chain.stop();
  }

  resume(): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    this.#chain.start();
    for (const run of held) run();
  }

  kill(): Promise<ChainExit> {
    return this.#leave({ code: null, signal: 'SIGKILL' });
  }

  stop(): Promise<ChainExit> {
    return this.#leave({ code: 0, signal: null });
  }

  async #leave(exit: ChainExit): Promise<ChainExit> {
    this.hasEnded = true;
    this.#chain.stop();
    this.#server.close();
    this.#server.closeAllConnections();
    this.#end(exit);
    return await this.exited;
  }

  #beginSlot(): void {
    const clock = this.clock as AnnouncedClock;
    for (const listener of this.#listeners) listener(clock);
    for (const fill of this.#landed.splice(0)) this.#node.handleFill(fill);
  }

  /** Now, or when the chain is resumed. */
  #whileRunning(run: () => void): void {
    if (this.#held === null) run();
    else this.#held.push(run);
  }

  #connect(socket: WebSocket): void {
    const host: HostSocket = {
      get isOpen() {
        return socket.readyState === socket.OPEN;
      },
      send: (text) => socket.send(text),
      cut: () => socket.terminate(),
    };
    socket.on('message', (data: Buffer) => {
      this.#whileRunning(() => this.#node.handleMessage(host, data.toString()));
    });
    socket.on('ping', (data: Buffer) => this.#whileRunning(() => socket.pong(data)));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#node.handleClose(host));
    this.#node.handleOpen(host);
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = (await buffer(incoming)).toString();
    this.#whileRunning(() => {
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.end(this.#answer(body));
    });
  }

  #answer(body: string): Uint8Array | string {
    const { id, method, params } = JSON.parse(body) as RpcRequest;
    const call = this.#calls[method];
    if (call !== undefined) {
      try {
        return JSON.stringify({ jsonrpc: '2.0', result: call(params), id });
      } catch (error) {
        const { message } = error as Error;
        return JSON.stringify({ jsonrpc: '2.0', error: { code: -32002, message }, id });
      }
    }
    const reply = this.#node.handleRequest(body);
    if (typeof reply === 'string') throw new Error('Invariant: the node is sound');
    return Buffer.concat(reply.parts.map(({ bytes }) => bytes));
  }

  /** The calls that the node of the simulation does not have. */
  readonly #calls: Readonly<Record<string, Call>> = {
    surfnet_writeProgram: () => null,
    surfnet_setAccount: ([pubkey, account]) => {
      this.#writeAccount(pubkey as string, account as WrittenAccount);
      return null;
    },
    getAccountInfo: ([pubkey]) => {
      const write = this.#chain.accounts.get(pubkey as string)?.write ?? null;
      const { slot } = this.#chain;
      const value = write && { owner: write.owner, data: [write.base64, 'base64'] };
      return { context: { slot }, value };
    },
    getLatestBlockhash: () => {
      const { slot } = this.#chain;
      const blockhash = keyOf(new Uint8Array(Uint32Array.of(slot, 1, 1, 1, 1, 1, 1, 1).buffer));
      return { context: { slot }, value: { blockhash, lastValidBlockHeight: slot + 150 } };
    },
    sendTransaction: ([text]) => this.#runTransaction(text as string),
  };

  #writeAccount(pubkey: string, { owner, data }: WrittenAccount): void {
    const bytes = Buffer.from(data, 'hex');
    const write = bytes.length > 0 ? writeOf({ pubkey, owner, data: bytes }) : null;
    this.#chain.setAccount(pubkey, write);
  }

  #runTransaction(text: string): string {
    const transaction = Transaction.from(Buffer.from(text, 'base64'));
    const [instruction] = transaction.instructions;
    if (instruction === undefined || transaction.signature === null) {
      throw new Error('the transaction is not signed, or does nothing');
    }
    const signature = encodeBase58(transaction.signature);
    if (this.#ledger.find(signature) !== undefined) throw new Error('already processed');
    const keys = instruction.keys.map(({ pubkey }) => pubkey.toBase58());
    const { lines, changed } = runScript(instruction, (key) => {
      return this.#chain.accounts.get(keys[key] ?? '')?.write?.data;
    });
    for (const [key, data] of changed) {
      const pubkey = keys[key] ?? '';
      const owner = this.#chain.accounts.get(pubkey)?.write?.owner ?? '';
      this.#chain.setAccount(pubkey, writeOf({ pubkey, owner, data }));
    }
    this.#landed.push(this.#ledger.land(signature, lines));
    return signature;
  }
}
