import { WebSocket } from 'ws';

/** Makes a JSON-RPC call; throws the chain's error reply. */
export async function rpc<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = (await answer.json()) as { result?: T; error?: { message: string } };
  if (body.error !== undefined) throw new Error(`${method}: ${body.error.message}`);
  return body.result as T;
}

/** A notification of a subscription. */
interface Heard {
  readonly method: string;
  readonly slot: number;
  readonly data: string;
  readonly atMs: number;
}

/** A subscriber that records its notifications, in order. */
export class Listener {
  readonly heard: Heard[] = [];
  readonly closed: Promise<number>;
  readonly socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
  }

  /** Connects and subscribes, and waits until the chain has confirmed each subscription. */
  static async open(wsUrl: string, subscriptions: [string, unknown[]][]): Promise<Listener> {
    const socket = new WebSocket(wsUrl);
    const listener = new Listener(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    let confirmed = 0;
    const ready = new Promise<void>((resolve) => {
      socket.on('message', (raw: Buffer) => {
        if (listener.#hear(JSON.parse(raw.toString()))) return;
        confirmed += 1;
        if (confirmed === subscriptions.length) resolve();
      });
    });
    subscriptions.forEach(([method, params], id) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
    await ready;
    return listener;
  }

  /** Notifications of one kind. */
  of(method: string): Heard[] {
    return this.heard.filter((heard) => heard.method === method);
  }

  #hear(message: {
    method?: string;
    params?: {
      result: {
        slot?: number;
        context?: { slot: number };
        value?: { account?: { data: string[] }; data?: string[] };
      };
    };
  }): boolean {
    const { method, params } = message;
    if (method === undefined || params === undefined) return false;
    const { slot, context, value } = params.result;
    this.heard.push({
      method,
      slot: context?.slot ?? slot ?? 0,
      data: (value?.account?.data ?? value?.data ?? [''])[0] ?? '',
      atMs: performance.now(),
    });
    return true;
  }
}
