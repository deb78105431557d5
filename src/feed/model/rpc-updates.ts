import type { ChainProgram } from '../../contract/program.js';
import type { NodeSocket } from '../../rpc/node-pool.js';
import type { RpcSubscription } from '../../rpc/socket.js';
import {
  parseAccountNotification,
  parseProgramNotification,
  parseSlotNotification,
} from './account-update.js';
import type { UpdateHandlers, UpdateStream } from './feed-source.js';
import {
  accountSubscribeParams,
  CLOCK_KEY,
  PROGRAM_KINDS,
  type ProgramEncoding,
  programSubscribeParams,
} from './queries.js';

/** The updates of one node's subscription socket, one instance per connection. */
export class RpcUpdates implements UpdateStream {
  readonly #socket: NodeSocket;
  readonly #program: ChainProgram;
  readonly #encoding: ProgramEncoding;
  readonly #oracles = new Map<string, RpcSubscription>();
  #handlers: UpdateHandlers | null = null;

  constructor(
    socket: NodeSocket,
    program: ChainProgram,
    encoding: ProgramEncoding = 'base64+zstd',
  ) {
    this.#socket = socket;
    this.#program = program;
    this.#encoding = encoding;
  }

  async subscribeAll(handlers: UpdateHandlers): Promise<void> {
    this.#handlers = handlers;
    const { onSlot, onUpdate } = handlers;
    await Promise.all([
      this.#socket.subscribe('slotSubscribe', [], (result) =>
        onSlot(parseSlotNotification(result)),
      ),
      ...PROGRAM_KINDS.map((kind) => {
        const params = programSubscribeParams(this.#program, kind, this.#encoding);
        return this.#socket.subscribe('programSubscribe', params, (result) =>
          onUpdate(parseProgramNotification(kind, result)),
        );
      }),
      this.#socket.subscribe('accountSubscribe', accountSubscribeParams(CLOCK_KEY), (result) =>
        onUpdate(parseAccountNotification('clock', CLOCK_KEY, result)),
      ),
    ]);
  }

  async followOracles(keys: readonly string[]): Promise<void> {
    const wanted = new Set(keys);
    for (const [key, subscription] of this.#oracles) {
      if (wanted.has(key)) continue;
      this.#socket.unsubscribe(subscription);
      this.#oracles.delete(key);
    }
    const added = keys.filter((key) => !this.#oracles.has(key));
    await Promise.all(added.map((key) => this.#subscribeTo(key)));
  }

  async #subscribeTo(key: string): Promise<void> {
    const params = accountSubscribeParams(key);
    const subscription = await this.#socket.subscribe('accountSubscribe', params, (result) =>
      this.#handlers?.onUpdate(parseAccountNotification('oracle', key, result)),
    );
    this.#oracles.set(key, subscription);
  }
}
