import type { SlotStatus } from '../../rpc/grpc/messages.js';
import type { NodeConnection, NodeRpc } from '../../rpc/node-pool.js';
import type { AccountUpdate, AnnouncedSlot } from './account-update.js';

/** A slot notified by a source. */
export interface SourceSlot extends AnnouncedSlot {
  readonly status: SlotStatus;
}

/** One write of one account, with its order among other writes. */
export interface SourceUpdate extends AccountUpdate {
  /**
   * Grows with each write of one source; 0 for a source without write versions, which is ordered by
   * arrival.
   */
  readonly writeVersion: number;
}

/** The events of a source. */
export interface SourceListener {
  /** Connected and subscribed: all later writes are notified. */
  onOpened(): void;
  /** The connection broke; the reconnect will replay missed messages. */
  onInterrupted(reason: string): void;
  /** Connected again; missed messages are being replayed. */
  onResumed(): void;
  /** The connection ended or failed; the next one has a gap. */
  onClosed(reason: string): void;
  /** A message was malformed, so a write may be missing. */
  onMalformed(): void;
  onSlot(slot: SourceSlot): void;
  onUpdate(update: SourceUpdate): void;
}

/** Counters of a source, for metrics. */
export interface SourceCounters {
  /** Connections that were made. */
  connects: number;
  /** Connections that replayed the messages missed by the previous one. */
  resumes: number;
  malformed: number;
  /** Notified accounts of another owner. */
  foreign: number;
}

/** One stream of the program's accounts, its oracles, the Clock and slots, with automatic reconnects. */
export interface FeedSource {
  /** Host and port: the publishable part of its address. */
  readonly name: string;
  readonly kind: 'rpc' | 'grpc';
  readonly counters: Readonly<SourceCounters>;
  start(listener: SourceListener): void;
  stop(): void;
  /** Ends an unusable connection; the next one has a gap. */
  dropConnection(reason: string): void;
  /**
   * Follows these accounts in addition to the program's and the Clock, and no others. Rejects where
   * the source cannot.
   */
  followKeys(keys: readonly string[]): Promise<void>;
}

/** Receives a stream's notifications; null for a malformed message. */
export interface UpdateHandlers {
  readonly onSlot: (slot: AnnouncedSlot | null) => void;
  readonly onUpdate: (update: AccountUpdate | null) => void;
  /** These accounts were reverted, and their current state is unknown. */
  readonly onLost: (pubkeys: readonly string[]) => void;
}

/** A session's view of one connection's updates. */
export interface UpdateStream {
  /** Subscribes to everything but the oracles. Fails when one subscription does. */
  subscribeAll(handlers: UpdateHandlers): Promise<void>;
  followOracles(keys: readonly string[]): Promise<void>;
  /** Readings showed that the chain lacks an account as of a slot. */
  recordAbsence?(closed: AccountUpdate): void;
}

/** The node in use: for reads, and for updates. */
export interface FeedNode {
  /** Host and port: the publishable part of its address. */
  readonly name: string;
  readonly rpc: NodeRpc;
  /** The client of this node alone, if `rpc` falls back to others. */
  readonly ownRpc?: NodeRpc;
  readonly socket: NodeConnection;
  /** The updates of the new connection. */
  openUpdates(): UpdateStream;
}
