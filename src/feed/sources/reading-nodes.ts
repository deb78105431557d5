import { RpcError } from '../../rpc/error.js';
import type { NodeRpc, RpcNode, RpcNodes } from '../../rpc/node-pool.js';

/** The clients of all nodes as one: a call that fails on one node is tried on the next, which is then used first. */
export class ReadingNodes implements NodeRpc {
  readonly #nodes: RpcNodes;
  readonly #firstIndex: number;
  #at: number;

  /** `firstIndex` is that of the node that is used first. */
  constructor(nodes: RpcNodes, firstIndex: number) {
    this.#nodes = nodes;
    this.#firstIndex = firstIndex;
    this.#at = firstIndex;
  }

  /** A new connection begins: it is this node that the others are compared with, while it can be read. */
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
        // Another call may have moved on already.
        if (at === this.#at) this.#at = (at + 1) % this.#nodes.length;
      }
    }
    throw failure;
  }
}
