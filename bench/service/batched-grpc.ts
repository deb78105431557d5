/**
 * A Yellowstone server that notifies a scripted chain as fast as its reader takes it: a message of
 * a state is encoded once, and its slot and version are written into a copy. Messages of one turn
 * of the event loop are sent together. The server has no faults and no replay.
 */
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ChainWrite, ScriptedChain } from '../../test/scripted-chain.js';
import {
  encodeAccount,
  encodePong,
  encodeSlot,
  readRequest,
} from '../../test/support/grpc-messages.js';

/** A message over gRPC begins with a byte for compression and its length. */
const HEAD_BYTES = 5;
const CHUNK_BYTES = 256 * 1024;
/** Maximum unsent bytes; beyond it the server waits for its reader. */
const UNSENT_BYTES_MAX = 32 * 1024 * 1024;
/** Versions and slots from here up to the others have varints of one length: five and two bytes at the end of a message. */
const VERSIONS_FROM = 2 ** 28;
const SLOTS_FROM = 2 ** 7;
const SLOTS_TO = 2 ** 14;
const VERSION_FROM_END = 8;
const SLOT_FROM_END = 2;
const FINAL_SLOTS = 31;
const OUT_OF_RANGE = 11;

/** Frames of states, by their bytes. */
const frames = new WeakMap<Buffer, Buffer>();

interface Reader {
  readonly stream: ServerHttp2Stream;
  readonly owners: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
}

/** One server on one loopback port, with one reader at a time. It can be stopped and started again on its port. */
export class BatchedGrpc {
  readonly #chain: ScriptedChain;
  #server: Http2Server | null = null;
  #port = 0;
  #version = VERSIONS_FROM;
  #reader: Reader | null = null;
  #chunk: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;
  readonly #free: Buffer[] = [];
  #unsent = 0;
  #leave: () => void = () => undefined;

  private constructor(chain: ScriptedChain) {
    this.#chain = chain;
  }

  static async start(chain: ScriptedChain): Promise<BatchedGrpc> {
    const server = new BatchedGrpc(chain);
    await server.restartServer();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Whether the reader has not taken so much that more would only fill the memory. */
  get isBehind(): boolean {
    return this.#unsent > UNSENT_BYTES_MAX;
  }

  async restartServer(): Promise<void> {
    const server = createServer();
    this.#server = server;
    server.on('stream', (stream: ServerHttp2Stream) => this.#serveStream(stream));
    server.on('session', (session) => session.on('error', () => undefined));
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#leave = this.#chain.listen({
      written: (write) => this.#notifyAccount(write),
      ticked: ({ slot, parent }) => {
        this.#notify(encodeSlot({ slot: slot - 1, parent: slot - 2, status: 'processed' }));
        this.#notify(encodeSlot({ slot, parent, status: 'begun' }));
        this.#notify(encodeSlot({ slot: slot - 2, parent: slot - 3, status: 'confirmed' }));
        const final = slot - FINAL_SLOTS;
        this.#notify(encodeSlot({ slot: final, parent: final - 1, status: 'finalized' }));
      },
    });
  }

  /** Ends the server and its connection: its port refuses others. */
  stop(): void {
    this.#leave();
    this.#server?.close();
    this.#reader?.stream.session?.destroy();
    this.#reader = null;
    this.#used = 0;
  }

  #serveStream(stream: ServerHttp2Stream): void {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': OUT_OF_RANGE }));
    stream.on('error', () => undefined);
    stream.on('close', () => {
      if (this.#reader?.stream === stream) this.#reader = null;
    });
    let left = Buffer.alloc(0);
    stream.on('data', (bytes: Buffer) => {
      left = Buffer.concat([left, bytes]);
      while (left.length >= HEAD_BYTES && left.length >= HEAD_BYTES + left.readUInt32BE(1)) {
        const end = HEAD_BYTES + left.readUInt32BE(1);
        this.#handleRequest(stream, left.subarray(HEAD_BYTES, end));
        left = left.subarray(end);
      }
    });
  }

  #handleRequest(stream: ServerHttp2Stream, bytes: Buffer): void {
    const { ping, fromSlot, owners, keys } = readRequest(bytes);
    if (fromSlot !== null) stream.end();
    else if (ping === null) {
      this.#reader = { stream, owners: new Set(owners), keys: new Set(keys) };
    } else if (this.#reader?.stream === stream) this.#notify(encodePong(ping));
  }

  #notifyAccount(write: ChainWrite): void {
    const { pubkey, owner, bytes, slot } = write;
    this.#version += 1;
    if (this.#reader?.owners.has(owner) !== true && this.#reader?.keys.has(pubkey) !== true) return;
    const version = this.#version;
    const known = bytes === null ? undefined : frames.get(bytes);
    const frame = known ?? frameOf(encodeAccount({ pubkey, owner, slot, version, bytes }));
    if (known === undefined && bytes !== null) frames.set(bytes, frame);
    const end = this.#append(frame);
    writeVarint(this.#chunk, version, end - VERSION_FROM_END);
    if (slot < SLOTS_FROM || slot >= SLOTS_TO) throw new Error(`slot ${slot} has another length`);
    writeVarint(this.#chunk, slot, end - SLOT_FROM_END);
  }

  #notify(message: Buffer): void {
    if (this.#reader !== null) this.#append(frameOf(message));
  }

  /** Returns where it ends in the chunk. */
  #append(frame: Buffer): number {
    if (this.#used + frame.length > this.#chunk.length) this.#flush();
    if (this.#used === 0) setImmediate(() => this.#flush());
    frame.copy(this.#chunk, this.#used);
    this.#used += frame.length;
    return this.#used;
  }

  #flush(): void {
    const [chunk, used, reader] = [this.#chunk, this.#used, this.#reader];
    this.#used = 0;
    if (used === 0 || reader === null || reader.stream.destroyed) return;
    this.#chunk = this.#free.pop() ?? Buffer.allocUnsafe(CHUNK_BYTES);
    this.#unsent += used;
    reader.stream.write(chunk.subarray(0, used), () => {
      this.#unsent -= used;
      this.#free.push(chunk);
    });
  }
}

function frameOf(message: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Writes a number over one that took as many bytes. */
function writeVarint(bytes: Buffer, value: number, from: number): void {
  let [left, at] = [value, from];
  for (; left >= 128; at += 1) {
    bytes[at] = (left % 128) + 128;
    left = Math.floor(left / 128);
  }
  bytes[at] = left;
}
