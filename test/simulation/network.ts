/**
 * The network of a run in memory: what `fetch` and WebSockets reach by host name. It carries bytes and
 * their delays, and knows nothing of what they mean.
 */
import { currentMachine } from './globals.js';
import { WORLD } from './virtual-time.js';

/** A part of a body, and how long after the part before it arrives. */
interface BodyPart {
  readonly delayMs: number;
  readonly bytes: Uint8Array;
}

/** What a host sends for a request. */
export interface HostReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly parts: readonly BodyPart[];
  /** How the body ends: as it should, with a reset of the connection, or never. */
  readonly end?: 'whole' | 'reset' | 'never';
}

/** What becomes of a request: `refuse` is a connection that is not made, `hang` one without a reply. */
export type RequestOutcome = HostReply | 'refuse' | 'hang';

/** The server's end of a WebSocket. */
export interface HostSocket {
  readonly isOpen: boolean;
  /** Sends a text; it arrives in order. */
  send(text: string): void;
  /** Ends the connection; the client learns of it. */
  cut(): void;
}

/** How a connection to a host begins. */
export type UpgradeOutcome = 'open' | 'refuse' | 'hang' | { readonly status: number };

/** One host. */
export interface NetworkHost {
  /** One way, in milliseconds. */
  delayMs(): number;
  handleRequest(body: string): RequestOutcome;
  handleUpgrade(): UpgradeOutcome;
  handleOpen(socket: HostSocket): void;
  handleMessage(socket: HostSocket, text: string): void;
  /** Whether a ping gets its pong. */
  answersPings(): boolean;
  handleClose(socket: HostSocket): void;
}

const hosts = new Map<string, NetworkHost>();

/** Hosts by name and port; each run has its own. */
export function useHosts(named: ReadonlyMap<string, NetworkHost>): void {
  hosts.clear();
  for (const [name, host] of named) hosts.set(name, host);
}

/** Reading a URL takes long, and there are few. */
const namesByUrl = new Map<string, string>();

/** The host of a URL; null when the name leads nowhere. */
export function hostOf(url: string): NetworkHost | null {
  const name = namesByUrl.get(url) ?? new URL(url).host;
  namesByUrl.set(url, name);
  return hosts.get(name) ?? null;
}

/** Runs in the world after one way through the network; what it does not plan does not happen. */
export function afterTravel(host: NetworkHost, run: () => void): void {
  currentMachine().time.plan(host.delayMs(), run, WORLD);
}

/** The part of a Response that the RPC client reads. */
interface VirtualResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly redirected: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array>;
}

interface VirtualRequest {
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly redirect?: string;
}

/** Stands in for the global `fetch`. */
export function virtualFetch(url: string, request: VirtualRequest = {}): Promise<VirtualResponse> {
  const { time } = currentMachine();
  const { owner } = time;
  const { signal } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortError());
      return;
    }
    const stopWaiting = whenAborted(signal, () => reject(abortError()));
    const host = hostOf(url);
    if (host === null) {
      time.plan(1, () => reject(failedError('ENOTFOUND')));
      return;
    }
    afterTravel(host, () => {
      const outcome = host.handleRequest(request.body ?? '');
      if (outcome === 'hang') return;
      const arrive = (): void => {
        stopWaiting();
        if (outcome === 'refuse') reject(failedError('ECONNREFUSED'));
        else if (outcome.status >= 300 && outcome.status < 400 && request.redirect === 'error') {
          reject(failedError('unexpected redirect'));
        } else resolve(newResponse(outcome, signal));
      };
      time.plan(host.delayMs(), arrive, owner);
    });
  });
}

function newResponse(reply: HostReply, signal: AbortSignal | undefined): VirtualResponse {
  const { status, headers = {} } = reply;
  return {
    ok: status >= 200 && status < 300,
    status,
    redirected: false,
    headers: { get: (name) => headers[name.toLowerCase()] ?? null },
    body: bodyOf(reply, signal),
  };
}

async function* bodyOf(
  { parts, end = 'whole' }: HostReply,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (const { delayMs, bytes } of parts) {
    if (delayMs > 0) await travel(delayMs, signal);
    yield bytes;
  }
  if (end === 'reset') throw failedError('other side closed');
  if (end === 'never') await travel(Number.POSITIVE_INFINITY, signal);
}

function travel(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) reject(abortError());
    const stopWaiting = whenAborted(signal, () => reject(abortError()));
    if (delayMs === Number.POSITIVE_INFINITY) return;
    currentMachine().time.plan(delayMs, () => {
      stopWaiting();
      resolve();
    });
  });
}

/** Calls once when the signal aborts, until it is told to stop waiting for that. */
function whenAborted(signal: AbortSignal | undefined, run: () => void): () => void {
  signal?.addEventListener('abort', run, { once: true });
  return () => signal?.removeEventListener('abort', run);
}

function abortError(): DOMException {
  return new DOMException('This operation was aborted', 'AbortError');
}

function failedError(cause: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(cause) });
}
