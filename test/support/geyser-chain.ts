import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/app/loopback-ports.js';
import { ChainRpc } from '../../src/sim/chain/chain-rpc.js';
import {
  type LoggedEvent,
  type Patch,
  type ProgramCall,
  patchesBetween,
} from '../../src/sim/chain/program-call.js';
import { TransactionSender } from '../../src/sim/chain/transaction-sender.js';
import type { AccountWrite } from '../../src/sim/market/market-simulator.js';
import type { SteppedDemo } from './stepped-demo.js';

/** Bytes of patches in one transaction: it may have 1,232, and its keys and signature take some 250. */
const PATCH_BYTES_MAX = 800;
/** Bytes of a patch's header. */
const PATCH_HEAD_BYTES = 5;

/** The log line of a transaction without fills, before its number. */
export const WRITE_LOG = 'Program log: write ';

/** A transaction that was sent, and the states of accounts that it made, by key. */
interface SentTransaction {
  readonly signature: string;
  /** The log lines, in the runtime's format. */
  readonly logs: readonly string[];
  readonly states: ReadonlyMap<string, Buffer>;
}

/**
 * A chain that serves gRPC through the plugin of test/geyser. Its accounts are changed by signed transactions, as the
 * chain's cheat codes notify no plugin.
 */
export class GeyserChain {
  /** All that were sent, in order. */
  readonly sent: SentTransaction[] = [];
  readonly #bytes = new Map<string, Buffer>();

  private constructor(
    readonly demo: SteppedDemo,
    readonly grpcUrl: string,
    private readonly rpc: ChainRpc,
    private readonly sender: TransactionSender,
  ) {}

  /** Loads the plugin into the chain of a demo. */
  static async start(demo: SteppedDemo, plugin: string): Promise<GeyserChain> {
    const rpc = new ChainRpc(demo.chain.rpcUrl, { connections: 1 });
    const address = `127.0.0.1:${await freePort()}`;
    const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-geyser-'));
    const file = path.join(folder, 'plugin.json');
    writeFileSync(file, JSON.stringify({ libpath: plugin, address }));
    try {
      await rpc.call('loadPlugin', [file]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const sender = await TransactionSender.deployProgram(rpc);
    const chain = new GeyserChain(demo, `http://${address}`, rpc, sender);
    for (const { pubkey, data } of await demo.accounts()) chain.#bytes.set(pubkey, data);
    return chain;
  }

  /** Continues the demo's scenario for at least this many account writes, all by transactions. */
  async step(writes: number): Promise<void> {
    const { demo } = this;
    for (let written = 0; written < writes; ) {
      const { call, writes: accounts } = demo.life.nextStep(demo.clock);
      if (call !== undefined) await this.#send(call);
      else for (const account of accounts) await this.write(account);
      written += accounts.length;
    }
  }

  /** Changes an account to these bytes, by more than one transaction where they are many. */
  async write({ pubkey, data }: Pick<AccountWrite, 'pubkey' | 'data'>): Promise<void> {
    const before = this.bytesOf(pubkey);
    for (const patches of piecesOf(patchesBetween(pubkey, { before, after: data }))) {
      // The number makes it another transaction than one that did the same before.
      const bytes = Buffer.from(`write ${this.sent.length}`);
      await this.#send({ patches, events: [{ form: 'text', bytes }] });
    }
  }

  /** The bytes of an account after all that was sent. */
  bytesOf(pubkey: string): Buffer {
    const bytes = this.#bytes.get(pubkey);
    if (bytes === undefined) throw new Error(`the chain has no account ${pubkey}`);
    return bytes;
  }

  /** The slots of all transactions that were sent; throws when one has failed. */
  async slots(): Promise<ReadonlyMap<string, number>> {
    return await this.sender.slotsOf(this.sent.map(({ signature }) => signature));
  }

  close(): void {
    this.rpc.close();
  }

  async #send(call: ProgramCall): Promise<void> {
    const signature = await this.sender.sendUntried(call);
    const states = new Map<string, Buffer>();
    for (const { pubkey, offset, bytes } of call.patches) {
      const data = states.get(pubkey) ?? Buffer.from(this.bytesOf(pubkey));
      data.set(bytes, offset);
      states.set(pubkey, data);
    }
    for (const [pubkey, data] of states) this.#bytes.set(pubkey, data);
    this.sent.push({ signature, logs: call.events.map(logOf), states });
  }
}

/** An event as the runtime words it. */
function logOf({ form, bytes }: LoggedEvent): string {
  if (form === 'data') return `Program data: ${bytes.toString('base64')}`;
  return `Program log: ${bytes.toString(form === 'base64' ? 'base64' : 'utf8')}`;
}

/** Patches as transactions have room for them. */
function piecesOf(patches: readonly Patch[]): Patch[][] {
  const pieces: Patch[][] = [];
  let room = 0;
  for (const { pubkey, offset, bytes } of patches) {
    for (let at = 0; at < bytes.length; at += PATCH_BYTES_MAX) {
      const part = bytes.subarray(at, at + PATCH_BYTES_MAX);
      const cost = PATCH_HEAD_BYTES * Math.ceil(part.length / 255) + part.length;
      if (cost > room) {
        pieces.push([]);
        room = PATCH_BYTES_MAX + 4 * PATCH_HEAD_BYTES;
      }
      pieces.at(-1)?.push({ pubkey, offset: offset + at, bytes: part });
      room -= cost;
    }
  }
  return pieces;
}
