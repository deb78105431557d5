import { WebSocket } from 'ws';
import type { ModelChain } from '../simulation/model-chain.js';
import type { World } from '../world/world.js';

/** The first bytes of user accounts, as text. */
const USER_START = '9f755fe3ef973aec';

/** The keys of all user accounts of a chain. */
export const usersOf = (chain: ModelChain): readonly string[] =>
  [...chain.accounts.keys()].filter(
    (key) => bytesOf(chain, key).toString('hex', 0, 8) === USER_START,
  );

/** The bytes of an account; none where there is none. */
export const bytesOf = (chain: ModelChain, key: string): Buffer =>
  chain.accounts.get(key)?.write?.data ?? Buffer.alloc(0);

/** A reader of the channel `user`, which applies frames as docs/user-stream.md says. */
export class UserReader {
  readonly messages: Record<string, unknown>[] = [];
  readonly faults: string[] = [];
  readonly accounts = new Map<string, Record<string, unknown>>();
  fills = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => this.#take(JSON.parse(String(data))));
  }

  static async open(url: string): Promise<UserReader> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    const reader = new UserReader(socket);
    await new Promise((resolve) => socket.once('open', resolve));
    return reader;
  }

  /** Closes the socket, and waits until the service has seen it. */
  async close(scene: World): Promise<void> {
    this.socket.terminate();
    await scene.run(1_000);
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  #take(message: Record<string, unknown>): void {
    this.messages.push(message);
    const { type, topic, seq } = message;
    const known = this.accounts.get(String(topic));
    if (type === 'snapshot') this.accounts.set(String(topic), { ...message });
    else if (type === 'heartbeat' && known?.['seq'] !== seq) this.faults.push(`gap before ${seq}`);
    if (type !== 'delta') return;
    const { prev, orders, fills, type: _, ...members } = message;
    if (known === undefined || Number(known['seq']) < Number(prev)) this.faults.push(`gap ${seq}`);
    if (known === undefined || Number(seq) <= Number(known['seq'])) return;
    const { set, remove } = orders as { set: { orderId: number }[]; remove: number[] };
    const gone = [...remove, ...set.map(({ orderId }) => orderId)];
    const rows = (known['orders'] as { orderId: number }[]).filter(
      ({ orderId }) => !gone.includes(orderId),
    );
    this.fills += (fills as unknown[]).length;
    delete known['reason'];
    Object.assign(known, members, { orders: [...rows, ...set] });
  }
}
