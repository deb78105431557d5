/** A Yellowstone gRPC server that notifies a scripted chain, and does it badly where a test says so. */
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { type SlotStatus, SUBSCRIBE_PATH } from '../src/rpc/grpc/messages.js';
import type { ChainWrite, ScriptedChain } from './scripted-chain.js';
import type { LedgerTransaction } from './scripted-ledger.js';
import {
  encodeAccount,
  encodePong,
  encodeSlot,
  encodeTransaction,
  readRequest,
} from './support/grpc-messages.js';

/** What is wrong with a server; shares are of its accounts, 0 to 1. */
export interface GrpcFaults {
  /** Notified twice. */
  doubled: boolean;
  /** Each write behind the next one. */
  swapped: boolean;
  /** What becomes of a request for an earlier slot. */
  replay: 'kept' | 'refused' | 'ignored';
  /** What becomes of pings: they have no pongs, or the stream ends behind the first one. */
  pongs: 'kept' | 'none' | 'last';
}

const SOUND: GrpcFaults = {
  doubled: false,
  swapped: false,
  replay: 'kept',
  pongs: 'kept',
};

type Stream = ServerDuplexStream<Buffer, Buffer>;

interface Reader {
  readonly stream: Stream;
  owners: readonly string[];
  keys: readonly string[];
  /** Of a reader of transactions, which is notified of confirmed slots alone. */
  programs: readonly string[];
}

/** One message with its slot, as it is notified and notified again. */
interface Notified {
  readonly slot: number;
  /** As it is now: an account with the version of the server that notifies. */
  readonly encode: () => Buffer;
  readonly owner: string;
  /** Of a transaction its signature; empty for a slot. */
  readonly pubkey: string;
  /** Set on transactions, and on slots that are confirmed. */
  readonly isConfirmed?: boolean;
}

/** Slots behind the newest one that are final. */
const FINAL_SLOTS = 31;
const OUT_OF_RANGE = 11;
const UNAUTHENTICATED = 16;

/** One server on one loopback port. It can be stopped and started again on its port. */
export class ScriptedGrpc {
  faults: GrpcFaults = { ...SOUND };
  /** The tokens of the streams that were opened, and the slots that they asked for. */
  readonly tokens: (string | undefined)[] = [];
  readonly fromSlots: number[] = [];
  token: string | undefined;
  /** Said before the token that it refuses. */
  refusal = 'no valid auth token';
  /** Another one is another server behind the same address, which numbers all writes from there. */
  versionsFrom = 0;
  readonly #chain: ScriptedChain | null;
  readonly #readers = new Set<Reader>();
  readonly #notified: Notified[] = [];
  #server = new Server();
  #port = 0;
  #version = 0;
  #held: Notified | null = null;
  #leave: () => void = () => undefined;

  private constructor(chain: ScriptedChain | null) {
    this.#chain = chain;
  }

  /** Without a chain it notifies only what a test says. */
  static async start(chain: ScriptedChain | null): Promise<ScriptedGrpc> {
    const server = new ScriptedGrpc(chain);
    await server.restartServer();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  takeFaults(faults: Partial<GrpcFaults>): void {
    this.faults = { ...SOUND, ...faults };
    const held = this.#held;
    this.#held = null;
    if (held !== null) this.#notifyReaders(held);
  }

  async restartServer(): Promise<void> {
    this.#leave = this.#followChain();
    const server = new Server();
    this.#server = server;
    server.addService(
      {
        Subscribe: {
          path: SUBSCRIBE_PATH,
          requestStream: true,
          responseStream: true,
          requestSerialize: (bytes: Buffer) => bytes,
          requestDeserialize: (bytes: Buffer) => bytes,
          responseSerialize: (bytes: Buffer) => bytes,
          responseDeserialize: (bytes: Buffer) => bytes,
        },
      },
      { Subscribe: (stream: Stream) => this.#serveStream(stream) },
    );
    this.#port = await new Promise((resolve, reject) => {
      const address = `127.0.0.1:${this.#port}`;
      server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  }

  /** Ends the server: its port refuses connections. What it notified before is forgotten. */
  stop(): void {
    this.#leave();
    this.#leave = () => undefined;
    this.#readers.clear();
    this.#notified.length = 0;
    this.#server.forceShutdown();
  }

  /** Ends all connections. */
  cutStreams(): void {
    this.#readers.clear();
    this.#server.drain(`127.0.0.1:${this.#port}`, 0);
  }

  /** Tells a write. */
  tellAccount(
    account: Pick<ChainWrite, 'pubkey' | 'owner' | 'bytes' | 'slot'>,
    version = this.#nextVersion(),
  ): void {
    const { pubkey, owner, bytes, slot } = account;
    const encode = (): Buffer =>
      encodeAccount({ pubkey, owner, slot, version: this.versionsFrom + version, bytes });
    const notified = { slot, pubkey, owner, encode };
    if (!this.faults.swapped) this.#notifyReaders(notified);
    else if (this.#held === null) this.#held = notified;
    else {
      this.#notifyReaders(notified);
      this.#notifyReaders(this.#held);
      this.#held = null;
    }
    if (this.faults.doubled) this.#notifyReaders(notified);
  }

  tellSlot(slot: number, status: SlotStatus, parent: number | null = slot - 1): void {
    const bytes = encodeSlot({ slot, parent, status });
    const isConfirmed = status === 'confirmed';
    this.#notifyReaders({ slot, encode: () => bytes, owner: '', pubkey: '', isConfirmed });
  }

  /** Tells a transaction of a confirmed slot. */
  tellTransaction(transaction: LedgerTransaction): void {
    const bytes = encodeTransaction(transaction);
    const { slot, signature: pubkey } = transaction;
    const notified = { slot, encode: () => bytes, owner: '', pubkey, isConfirmed: true };
    this.#notifyReaders(notified);
    if (this.faults.doubled) this.#notifyReaders(notified);
  }

  /** The chain left the fork of a transaction: a reader that comes back is not notified of it. */
  forgetTransaction({ signature, slot }: LedgerTransaction): void {
    const isIt = (one: Notified): boolean => one.slot === slot && one.pubkey === signature;
    for (const one of this.#notified.filter(isIt)) {
      this.#notified.splice(this.#notified.indexOf(one), 1);
    }
  }

  /** Tells bytes as they are. */
  notifyBytes(bytes: Buffer): void {
    for (const { stream } of this.#readers) stream.write(bytes);
  }

  #followChain(): () => void {
    const chain = this.#chain;
    if (chain === null) return () => undefined;
    return chain.listen({
      written: (write) => this.tellAccount(write),
      ticked: ({ slot, parent }) => {
        this.tellSlot(slot - 1, 'processed', slot - 2);
        this.tellSlot(slot, 'begun', parent);
        this.tellSlot(slot - 2, 'confirmed', slot - 3);
        this.tellSlot(slot - FINAL_SLOTS, 'finalized', slot - FINAL_SLOTS - 1);
      },
    });
  }

  #nextVersion(): number {
    this.#version += 1;
    return this.#version;
  }

  #notifyReaders(notified: Notified): void {
    this.#notified.push(notified);
    for (const reader of this.#readers)
      if (wantsMessage(reader, notified)) reader.stream.write(notified.encode());
  }

  #serveStream(stream: Stream): void {
    const [token] = stream.metadata.get('x-token');
    this.tokens.push(token?.toString());
    const reader: Reader = { stream, owners: [], keys: [], programs: [] };
    stream.on('error', () => this.#readers.delete(reader));
    stream.on('close', () => this.#readers.delete(reader));
    if (this.token !== undefined && token !== this.token) {
      failStream(stream, UNAUTHENTICATED, `${this.refusal}: ${String(token)}`);
      return;
    }
    stream.on('data', (bytes: Buffer) => this.#handleRequest(reader, bytes));
  }

  #handleRequest(reader: Reader, bytes: Buffer): void {
    const request = readRequest(bytes);
    if (request.ping !== null) {
      this.#sendPong(reader, request.ping);
      return;
    }
    reader.owners = request.owners;
    reader.keys = request.keys;
    reader.programs = request.programs;
    this.#readers.add(reader);
    if (request.fromSlot === null) return;
    this.fromSlots.push(request.fromSlot);
    this.#replayFrom(reader, request.fromSlot);
  }

  #sendPong({ stream }: Reader, id: number): void {
    if (this.faults.pongs === 'none') return;
    stream.write(encodePong(id));
    if (this.faults.pongs === 'last') stream.end();
  }

  #replayFrom(reader: Reader, fromSlot: number): void {
    const { replay } = this.faults;
    if (replay === 'ignored') return;
    const first = this.#notified[0]?.slot ?? Number.POSITIVE_INFINITY;
    if (replay === 'refused' || first > fromSlot) {
      this.#readers.delete(reader);
      failStream(
        reader.stream,
        OUT_OF_RANGE,
        `from_slot is not available, last available: ${first}`,
      );
      return;
    }
    for (const notified of this.#notified) {
      if (notified.slot >= fromSlot && wantsMessage(reader, notified))
        reader.stream.write(notified.encode());
    }
  }
}

function failStream(stream: Stream, code: number, details: string): void {
  stream.emit('error', { code, details, name: 'refused', message: details });
}

function wantsMessage(reader: Reader, { owner, pubkey, isConfirmed }: Notified): boolean {
  const { owners, keys, programs } = reader;
  if (programs.length > 0) return isConfirmed === true;
  return pubkey === '' || owners.includes(owner) || keys.includes(pubkey);
}
