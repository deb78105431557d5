import type { SlotStatus } from '../../rpc/grpc/messages.js';
import type { GrpcStreamListener } from '../../rpc/grpc/stream-listener.js';
import type { NodeConnection, NodeRpc } from '../../rpc/node-pool.js';
import type { AccountUpdate, AnnouncedSlot } from './account-update.js';

/** A slot notified by a source. */
export interface SourceSlot extends AnnouncedSlot {
  readonly status: SlotStatus;
}

/** One write of one account, with its order among other writes. */
export interface SourceUpdate extends AccountUpdate {
  /**
   * Grows with each write of one source; 0 for a source without write versions, whose writes are
   * ordered by arrival.
   */
  readonly writeVersion: number;
}

/** The events of a source: those of a gRPC stream, and its slots and updates. */
export interface SourceListener extends Omit<GrpcStreamListener, 'onContent'> {
  onSlot(slot: SourceSlot): void;
  onUpdate(update: SourceUpdate): void;
}

/** Counters of a source, for metrics. */
export interface SourceCounters {
  /** Connections that were made. */
  connects: number;
  /** Number of connections that replayed the messages missed by the previous connection. */
  resumes: number;
  malformed: number;
  /** Notified accounts of another owner. */
  foreign: number;
}

/**
 * One stream of the program's accounts, its oracles, the Clock and slots, which reconnects
 * automatically.
 */
export interface FeedSource {
  /** Host and port of the source, the part of its address that may be published. */
  readonly name: string;
  readonly kind: 'rpc' | 'grpc';
  readonly counters: Readonly<SourceCounters>;
  start(listener: SourceListener): void;
  stop(): void;
  /** Ends an unusable connection; there is a gap before the next connection. */
  dropConnection(reason: string): void;
  /**
   * Follows exactly these accounts in addition to the program's accounts and the Clock. Rejects
   * when the source cannot.
   */
  followKeys(keys: readonly string[]): Promise<void>;
}

/** Receives the notifications of a stream; null for a malformed message. */
export interface UpdateHandlers {
  readonly onSlot: (slot: AnnouncedSlot | null) => void;
  readonly onUpdate: (update: AccountUpdate | null) => void;
  /** Called with accounts that were reverted and whose current state is unknown. */
  readonly onLost: (pubkeys: readonly string[]) => void;
}

/** A session's view of one connection's updates. */
export interface UpdateStream {
  /** Subscribes to everything except the oracles. Rejects when a subscription fails. */
  subscribeAll(handlers: UpdateHandlers): Promise<void>;
  followOracles(keys: readonly string[]): Promise<void>;
  /** Records that readings found no such account on the chain as of a slot. */
  recordAbsence?(closed: AccountUpdate): void;
}

/** The node in use: for reads, and for updates. */
export interface FeedNode {
  /** Host and port of the node, the part of its address that may be published. */
  readonly name: string;
  readonly rpc: NodeRpc;
  /** The client of this node alone, if `rpc` falls back to other nodes. */
  readonly ownRpc?: NodeRpc;
  readonly socket: NodeConnection;
  /** The updates of the new connection. */
  openUpdates(): UpdateStream;
}
