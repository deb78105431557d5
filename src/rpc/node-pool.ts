import type { Timers } from '../contract/timers.js';
import { Backoff, type BackoffOptions } from './backoff.js';
import { RpcClient } from './client.js';
import { PATIENCE_WITH_FALLBACK } from './limits.js';
import { RpcSocket } from './socket.js';

/** The methods of an RpcClient that rooms use; a test passes a fake. */
export type NodeRpc = Pick<RpcClient, 'call' | 'callRaw'>;

/** The methods of an RpcSocket that its owner uses; a test passes a fake. */
export type NodeSocket = Pick<
  RpcSocket,
  'start' | 'stop' | 'dropConnection' | 'resetBackoff' | 'subscribe' | 'unsubscribe'
>;

/** The connection part of a socket. */
export type NodeConnection = Pick<RpcSocket, 'start' | 'stop' | 'dropConnection' | 'resetBackoff'>;

/** One RPC node: its client and its socket are always used together. */
export interface RpcNode {
  /** Host and port of the node, the part of its address that may be published. */
  readonly name: string;
  readonly rpc: NodeRpc;
  readonly socket: NodeSocket;
}

/** Nodes in the order of preference: the first is used while it works. */
export type RpcNodes<Node = RpcNode> = readonly [Node, ...Node[]];

/** The two URLs of a node. */
export interface NodeUrls {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/** A node of {@link createNodes}, with the statistics of its socket. */
interface CountedNode extends RpcNode {
  readonly socket: RpcSocket;
}

/** Creates the nodes, in order. With several nodes, each has shorter time limits than a single one. */
export function createNodes(
  [first, ...others]: RpcNodes<NodeUrls>,
  timers: Timers,
): RpcNodes<CountedNode> {
  const patience = others.length === 0 ? {} : PATIENCE_WITH_FALLBACK;
  const createNode = ({ rpcUrl, wsUrl }: NodeUrls): CountedNode => {
    const rpc = new RpcClient({ url: rpcUrl, timers, ...patience });
    return { name: rpc.host, rpc, socket: new RpcSocket({ url: wsUrl, timers }) };
  };
  return [createNode(first), ...others.map(createNode)];
}

/** The nodes, and the backoff after all of them failed. */
interface NodePoolOptions<Node> extends BackoffOptions {
  readonly nodes: RpcNodes<Node>;
}

/**
 * The nodes as a ring with a current node, and the number of consecutive failures. It neither
 * connects nor detects failures; its owner does both.
 */
export class NodePool<Node = RpcNode> {
  readonly #nodes: RpcNodes<Node>;
  readonly #backoff: Backoff;
  #index = 0;
  #failures = 0;
  #chainIndex: number | null = null;
  /** Another chain that a node has named, with the number of failures at that time. */
  #claim: { readonly hash: string; readonly index: number; readonly failures: number } | null =
    null;

  constructor({ nodes, ...waits }: NodePoolOptions<Node>) {
    this.#nodes = nodes;
    this.#backoff = new Backoff(waits);
  }

  get current(): Node {
    return this.#nodes[this.#index] ?? this.#nodes[0];
  }

  get size(): number {
    return this.#nodes.length;
  }

  get isSingle(): boolean {
    return this.#nodes.length === 1;
  }

  get failures(): number {
    return this.#failures;
  }

  get roundsFailed(): number {
    return Math.floor(this.#failures / this.#nodes.length);
  }

  get hasRoundFailed(): boolean {
    return this.#failures > 0 && this.#failures % this.#nodes.length === 0;
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#backoff.reset();
  }

  recordFailure(): void {
    this.#failures += 1;
  }

  moveToNext(): void {
    this.#index = (this.#index + 1) % this.#nodes.length;
  }

  /** Returns the next delay before an attempt, milliseconds; delays grow. */
  nextWaitMs(): number {
    return this.#backoff.next();
  }

  /**
   * Returns whether to accept the chain that the current node names; `known` is the followed chain,
   * null before the first. Only the node that named the followed chain can switch to another chain:
   * a different chain from any other node means a wrong address. With several nodes a single claim
   * is not enough: another node must name the same chain, or no node may still name the known one.
   */
  admitsChain(hash: string, known: string | null): boolean {
    if (known === null || hash === known) return this.#followChain();
    const isOfChain = this.#chainIndex === this.#index;
    if (this.isSingle) return isOfChain;
    const claim = this.#claim;
    if (claim === null || claim.hash !== hash) {
      if (isOfChain) this.#claim = { hash, index: this.#index, failures: this.#failures };
      return false;
    }
    const wereAllTried = this.#failures - claim.failures >= this.size;
    return (claim.index !== this.#index || wereAllTried) && this.#followChain();
  }

  #followChain(): true {
    this.#chainIndex = this.#index;
    this.#claim = null;
    return true;
  }
}
