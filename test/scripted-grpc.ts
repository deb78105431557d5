/** A Yellowstone gRPC server on a real socket that notifies a scripted chain. */
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { type SlotStatus, SUBSCRIBE_PATH } from '../src/rpc/grpc/messages.js';
import type { ChainWrite, ScriptedChain } from './scripted-chain.js';
import { encodeAccount, encodePong, encodeSlot, readRequest } from './support/grpc-messages.js';

type Stream = ServerDuplexStream<Buffer, Buffer>;

interface Reader {
  readonly stream: Stream;
  owners: readonly string[];
  keys: readonly string[];
}

/** One message with its slot, as it is notified and notified again. */
interface Notified {
  readonly slot: number;
  readonly bytes: Buffer;
  readonly owner: string;
  /** Empty for a slot. */
  readonly pubkey: string;
}

/** Slots behind the newest one that are final. */
const FINAL_SLOTS = 31;
const OUT_OF_RANGE = 11;
const UNAUTHENTICATED = 16;

/** One server on one loopback port. It can be stopped and started again on its port. */
export class ScriptedGrpc {
  /** Whether pings have pongs. */
  hasPongs = true;
  /** Whether it tells again what it told from the slot on that a stream asks for. */
  replays = true;
  /** The slots that streams asked for. */
  readonly fromSlots: number[] = [];
  /** The only one that it takes. */
  token: string | undefined;
  readonly #chain: ScriptedChain | null;
  readonly #readers = new Set<Reader>();
  readonly #notified: Notified[] = [];
  #server = new Server();
  #port = 0;
  #version = 0;
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

  /** Listens, on the port that it had. */
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
  tellAccount({ pubkey, owner, bytes, slot }: ChainWrite): void {
    this.#version += 1;
    const account = { pubkey, owner, slot, version: this.#version, bytes };
    this.#notifyReaders({ slot, pubkey, owner, bytes: encodeAccount(account) });
  }

  tellSlot(slot: number, status: SlotStatus, parent: number | null = slot - 1): void {
    const bytes = encodeSlot({ slot, parent, status });
    this.#notifyReaders({ slot, bytes, owner: '', pubkey: '' });
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

  #notifyReaders(notified: Notified): void {
    this.#notified.push(notified);
    for (const reader of this.#readers)
      if (wantsMessage(reader, notified)) reader.stream.write(notified.bytes);
  }

  #serveStream(stream: Stream): void {
    const [token] = stream.metadata.get('x-token');
    const reader: Reader = { stream, owners: [], keys: [] };
    stream.on('error', () => this.#readers.delete(reader));
    stream.on('close', () => this.#readers.delete(reader));
    if (this.token !== undefined && token !== this.token) {
      failStream(stream, UNAUTHENTICATED, `no valid auth token: ${String(token)}`);
      return;
    }
    stream.on('data', (bytes: Buffer) => this.#handleRequest(reader, bytes));
  }

  #handleRequest(reader: Reader, bytes: Buffer): void {
    const request = readRequest(bytes);
    if (request.ping !== null) {
      if (this.hasPongs) reader.stream.write(encodePong(request.ping));
      return;
    }
    reader.owners = request.owners;
    reader.keys = request.keys;
    this.#readers.add(reader);
    if (request.fromSlot === null) return;
    this.fromSlots.push(request.fromSlot);
    if (this.replays) this.#replayFrom(reader, request.fromSlot);
  }

  #replayFrom(reader: Reader, fromSlot: number): void {
    const first = this.#notified[0]?.slot ?? Number.POSITIVE_INFINITY;
    if (first > fromSlot) {
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
        reader.stream.write(notified.bytes);
    }
  }
}

function failStream(stream: Stream, code: number, details: string): void {
  stream.emit('error', { code, details, name: 'refused', message: details });
}

function wantsMessage({ owners, keys }: Reader, { owner, pubkey }: Notified): boolean {
  return pubkey === '' || owners.includes(owner) || keys.includes(pubkey);
}
