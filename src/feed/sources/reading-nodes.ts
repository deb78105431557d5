import { RpcError } from '../../rpc/error.js';
import type { NodeRpc, RpcNode, RpcNodes } from '../../rpc/node-pool.js';

/**
 * Combines all nodes' clients: a call that fails on one node is retried on the next node, which is
 * used from then on.
 */
export class ReadingNodes implements NodeRpc {
  readonly #nodes: RpcNodes;
  readonly #firstIndex: number;
  #at: number;

  /** `firstIndex` is the index of the preferred node. */
  constructor(nodes: RpcNodes, firstIndex: number) {
    this.#nodes = nodes;
    this.#firstIndex = firstIndex;
    this.#at = firstIndex;
  }

  /** Prefers this node from now on: a new connection uses it. */
  useFirst(): void {
    this.#at = this.#firstIndex;
  }

  call: NodeRpc['call'] = (method, params, parse, options) =>
    this.#tryEach(({ rpc }) => rpc.call(method, params, parse, options), options?.signal);

  callRaw: NodeRpc['callRaw'] = (method, params, options) =>
    this.#tryEach(({ rpc }) => rpc.callRaw(method, params, options), options?.signal);

  async #tryEach<Result>(
    run: (node: RpcNode) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    let failure: unknown;
    for (const _ of this.#nodes) {
      const at = this.#at;
      try {
        return await run(this.#nodes[at] ?? this.#nodes[0]);
      } catch (error) {
        if (!(error instanceof RpcError) || signal?.aborted === true) throw error;
        failure = error;
        // Another call may have changed the node already.
        if (at === this.#at) this.#at = (at + 1) % this.#nodes.length;
      }
    }
    throw failure;
  }
}
