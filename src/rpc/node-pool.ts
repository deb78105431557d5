import type { Timers } from '../contract/timers.js';
import { Backoff, type BackoffOptions } from './backoff.js';
import { RpcClient } from './client.js';
import { PATIENCE_WITH_FALLBACK } from './limits.js';
import { RpcSocket } from './socket.js';

/** The calls of an RpcClient; a test hands in a fake. */
export type NodeRpc = Pick<RpcClient, 'call' | 'callRaw'>;

/** The part of an RpcSocket that its owner uses; a test hands in a fake. */
export type NodeSocket = Pick<
  RpcSocket,
  'start' | 'stop' | 'dropConnection' | 'resetBackoff' | 'subscribe' | 'unsubscribe'
>;

/** The part of it that connects. */
export type NodeConnection = Pick<RpcSocket, 'start' | 'stop' | 'dropConnection' | 'resetBackoff'>;

/** One RPC node: its client and its socket are always used together. */
export interface RpcNode {
  /** Host and port: all of its address that may be published. */
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

/** A node that {@link createNodes} made, whose socket counts what it did. */
export interface CountedNode extends RpcNode {
  readonly socket: RpcSocket;
}

/** Makes the nodes, in their order. With several nodes each gets less time than a single one. */
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

/** The nodes, and how waits grow when all of them fail. */
export interface NodePoolOptions<Node> extends BackoffOptions {
  readonly nodes: RpcNodes<Node>;
}

/**
 * The nodes as a ring with one in use, and the failures in a row. It neither connects nor decides
 * when a node has failed: its owner does.
 */
export class NodePool<Node = RpcNode> {
  readonly #nodes: RpcNodes<Node>;
  readonly #backoff: Backoff;
  #index = 0;
  #failures = 0;
  /** The node of the chain that is followed. */
  #chainIndex: number | null = null;
  /** Another chain that this node named, and the failures in a row by then. */
  #claim: { readonly hash: string; readonly index: number; readonly failures: number } | null =
    null;

  constructor({ nodes, ...waits }: NodePoolOptions<Node>) {
    this.#nodes = nodes;
    this.#backoff = new Backoff(waits);
  }

  /** The node in use, or the one that is tried now. */
  get current(): Node {
    return this.#nodes[this.#index] ?? this.#nodes[0];
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** Whether there is no other node to move to. */
  get isSingle(): boolean {
    return this.#nodes.length === 1;
  }

  /** Failures in a row since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** How many times in a row all nodes have failed. */
  get roundsFailed(): number {
    return Math.floor(this.#failures / this.#nodes.length);
  }

  /** Whether the last failure completed a round of all nodes. */
  get hasRoundFailed(): boolean {
    return this.#failures > 0 && this.#failures % this.#nodes.length === 0;
  }

  /** The node in use works: the next wait is the shortest again. */
  recordSuccess(): void {
    this.#failures = 0;
    this.#backoff.reset();
  }

  recordFailure(): void {
    this.#failures += 1;
  }

  /** Uses the next node of the ring; a single node stays. */
  moveToNext(): void {
    this.#index = (this.#index + 1) % this.#nodes.length;
  }

  /** The wait before the next try after a failure, in milliseconds: longer each time. */
  nextWaitMs(): number {
    return this.#backoff.next();
  }

  /**
   * Whether the node in use may name this chain; `known` is the chain that is followed, null before
   * the first. Only the node of that chain can bring another: a different chain that only another node
   * names is a wrong address. And where there are several nodes one alone is not believed: another must
   * name the same chain, or none must be left that names the known one.
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
