/** Stands in for `node:http2`: the client's end of a gRPC call to a server of the model network. */
import { currentMachine } from '../globals.js';
import { type GrpcHost, grpcHostOf, type HostCall } from '../grpc-network.js';
import { WORLD } from '../virtual-time.js';

type Handler = (...values: unknown[]) => void;

/** A message begins with a byte for compression and its length. */
const HEAD_BYTES = 5;

const calls = new Set<ClientCall>();

/** A process was killed: its system closes its connections. */
export function closeCallsOf(isEnded: (owner: number) => boolean): void {
  for (const call of [...calls]) if (isEnded(call.owner)) call.lose();
}

/** A client's connection, which has one call; neither TLS nor windows are simulated. */
export function connect(address: string): Session {
  return new Session(new URL(address).hostname);
}

class Session {
  readonly #call: ClientCall;

  constructor(target: string) {
    this.#call = new ClientCall(grpcHostOf(target));
  }

  on(): this {
    return this;
  }

  request(): ClientCall {
    return this.#call;
  }

  destroy(): void {
    this.#call.lose();
  }
}

/** The client's end. Both directions keep their order, as TCP does; what is written before the connection stands waits. */
class ClientCall {
  readonly owner: number;
  readonly #host: GrpcHost | null;
  readonly #handlers = new Map<string, Handler>();
  readonly #waiting: Buffer[] = [];
  readonly #server: ServerCall;
  #phase: 'connecting' | 'open' | 'ended' = 'connecting';
  /** When the last message of each direction arrives. */
  #sentUntilMs = 0;
  #receivedUntilMs = 0;

  constructor(host: GrpcHost | null) {
    const { time } = currentMachine();
    this.owner = time.owner;
    this.#host = host;
    this.#server = new ServerCall(this);
    calls.add(this);
    if (host === null) time.plan(1, () => this.#fail('name resolution failed'));
    else time.plan(host.delayMs(), () => this.#connect(host), WORLD);
  }

  on(event: string, handler: Handler): this {
    this.#handlers.set(event, handler);
    return this;
  }

  write(bytes: Buffer): boolean {
    if (this.#phase === 'connecting') this.#waiting.push(bytes);
    else if (this.#phase === 'open') this.#sendToHost(bytes);
    return true;
  }

  /** Ends the call; the handlers are no longer called. */
  lose(): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    calls.delete(this);
    this.#leaveHost();
  }

  /** Called by the server's end: runs at the client after the way there, in order. */
  deliver(run: () => void): void {
    const { time } = currentMachine();
    const atMs = Math.max(this.#receivedUntilMs, time.nowMs + (this.#host?.delayMs() ?? 0));
    this.#receivedUntilMs = atMs;
    time.plan(atMs - time.nowMs, run, this.owner);
  }

  receiveMessage(bytes: Buffer): void {
    if (this.#phase !== 'open') return;
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(bytes.length, 1);
    this.#handlers.get('data')?.(Buffer.concat([head, bytes]));
  }

  /** The server ended the call, with a status code of gRPC. */
  endWith(code: number, message: string): void {
    if (this.#phase === 'ended') return;
    const trailers = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent(message) };
    this.#handlers.get('trailers')?.(trailers);
    this.#endBy('end');
  }

  #fail(message: string): void {
    this.#endBy('error', new Error(message));
  }

  #endBy(event: string, ...values: unknown[]): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    calls.delete(this);
    this.#handlers.get(event)?.(...values);
  }

  #connect(host: GrpcHost): void {
    const outcome = host.handleConnect();
    if (outcome === 'hang') return;
    this.deliver(() => {
      if (this.#phase !== 'connecting') return;
      if (outcome === 'refuse') {
        this.#fail('connect ECONNREFUSED');
        return;
      }
      this.#phase = 'open';
      this.#server.isOpen = true;
      for (const bytes of this.#waiting.splice(0)) this.#sendToHost(bytes);
    });
  }

  #sendToHost(bytes: Buffer): void {
    const host = this.#host;
    if (host === null) return;
    const { time } = currentMachine();
    const atMs = Math.max(this.#sentUntilMs, time.nowMs + host.delayMs());
    this.#sentUntilMs = atMs;
    const arrive = (): void => {
      if (this.#server.isOpen) host.handleRequest(this.#server, bytes.subarray(HEAD_BYTES));
    };
    time.plan(atMs - time.nowMs, arrive, WORLD);
  }

  #leaveHost(): void {
    const host = this.#host;
    if (host === null) return;
    currentMachine().time.plan(host.delayMs(), () => this.#server.endQuietly(host), WORLD);
  }
}

/** The server's end of the same call. */
class ServerCall implements HostCall {
  isOpen = false;
  readonly #client: ClientCall;

  constructor(client: ClientCall) {
    this.#client = client;
  }

  send(bytes: Buffer): void {
    if (this.isOpen) this.#client.deliver(() => this.#client.receiveMessage(bytes));
  }

  end(code: number, message: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#client.deliver(() => this.#client.endWith(code, message));
  }

  endQuietly(host: GrpcHost): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    host.handleClose(this);
  }
}
