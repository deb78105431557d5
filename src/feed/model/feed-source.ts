import type { SlotStatus } from '../../rpc/grpc/messages.js';
import type { NodeConnection, NodeRpc } from '../../rpc/node-pool.js';
import type { AccountUpdate, AnnouncedSlot } from './account-update.js';

/** A slot that a source notified of. */
export interface SourceSlot extends AnnouncedSlot {
  readonly status: SlotStatus;
}

/** One write of one account, with its place among the others. */
export interface SourceUpdate extends AccountUpdate {
  /** Rises with each write of one source; 0 of a source that numbers none, whose order is that of arrival. */
  readonly writeVersion: number;
}

/** The events of a source. */
export interface SourceListener {
  /** Connected and subscribed: all writes from here on are notified. */
  onOpened(): void;
  /** The connection broke, and is made again so that what was missed is notified. */
  onInterrupted(reason: string): void;
  /** It stands again, and all that was missed is being notified. */
  onResumed(): void;
  /** The connection ended or was never made, and what comes next has a gap before it. */
  onClosed(reason: string): void;
  /** A message could not be read, so that a write may be missing. */
  onMalformed(): void;
  onSlot(slot: SourceSlot): void;
  onUpdate(update: SourceUpdate): void;
}

/** What a source did, for metrics. */
export interface SourceCounters {
  /** Connections that were made. */
  connects: number;
  /** Connections that notified what the one before had missed. */
  resumes: number;
  /** Messages that could not be read. */
  malformed: number;
  /** Accounts that were notified and are of another owner. */
  foreign: number;
}

/** One stream of the program's accounts, its oracles, the Clock and slots. It reconnects by itself. */
export interface FeedSource {
  /** Host and port: all of its address that may be published. */
  readonly name: string;
  readonly kind: 'rpc' | 'grpc';
  readonly counters: Readonly<SourceCounters>;
  start(listener: SourceListener): void;
  stop(): void;
  /** Ends a connection that is of no use; it is made again, with a gap. */
  dropConnection(reason: string): void;
  /** Follows these accounts beside the program's and the Clock, and no others. Rejects where the source cannot. */
  followKeys(keys: readonly string[]): Promise<void>;
}

/** Receives what a stream notifies; null stands for a message that could not be read. */
export interface UpdateHandlers {
  readonly onSlot: (slot: AnnouncedSlot | null) => void;
  readonly onUpdate: (update: AccountUpdate | null) => void;
  /** These accounts went back, and nobody notified to what. */
  readonly onLost: (pubkeys: readonly string[]) => void;
}

/** The updates of one connection as its session uses them. */
export interface UpdateStream {
  /** Subscribes to all but the oracles. Fails when one subscription does. */
  subscribeAll(programId: string, handlers: UpdateHandlers): Promise<void>;
  /** Follows exactly these oracles. */
  followOracles(keys: readonly string[]): Promise<void>;
  /** The chain does not have an account as of a slot, as readings of it show. */
  recordAbsence?(closed: AccountUpdate): void;
}

/** What the feed follows at a time: where it reads, and whose updates it gets. */
export interface FeedNode {
  /** Host and port: all of its address that may be published. */
  readonly name: string;
  readonly rpc: NodeRpc;
  /** The client of this node alone, where `rpc` goes on with others. */
  readonly ownRpc?: NodeRpc;
  readonly socket: NodeConnection;
  /** The updates of the connection that has just been made. */
  openUpdates(): UpdateStream;
}
