/** What may be wrong with a node. A sound node has none of it. */

/** What a subscription or a notification is about. */
export type NotifiedKind =
  | 'slot'
  | 'user'
  | 'perpMarket'
  | 'spotMarket'
  | 'state'
  | 'oracle'
  | 'clock'
  | 'logs';

/** What a node says of a transaction that it refuses to give. */
export type Refusal = 'unsupported version' | 'internal error' | 'malformed' | 'nothing';

/** The state of a node; shares are of its account notifications, 0 to 1. */
export interface NodeFaults {
  /** The host refuses connections, and has cut those that were open. */
  isDown: boolean;
  /** Requests of these methods get no reply; `*` is all of them, `users` the scan of the users. */
  hanging: ReadonlySet<string>;
  /** The body of a reply breaks off in its middle and never ends. */
  stallsBodies: boolean;
  /** Scans of the users come a byte every few seconds. */
  tricklesScans: boolean;
  /** A status instead of a reply. */
  status: number | null;
  /** Seconds in its Retry-After. */
  retryAfterSeconds: number | null;
  /** Bodies of another kind. */
  bodies: 'sound' | 'cut' | 'garbled' | 'empty' | 'null' | 'half' | 'wrongZstd';
  /** Added to each way through the network. */
  extraDelayMs: number;
  /** Slot notifications and readings are so far ahead of the chain. */
  slotsAhead: number;
  /** From this slot on they climb at eight times the pace, and the slot in the Clock with them; null is never. */
  climbsFromSlot: number | null;
  /** Only the slot notifications are. */
  announcedAhead: number;
  /** Only the readings are. */
  readingSlotsAhead: number;
  /** Answers are as of so many slots ago, and say so. */
  answersBehindSlots: number;
  /** Answers are as of this slot, and claim to be of now. */
  frozenAtSlot: number | null;
  /** The socket notifies everything so late. */
  socketBehindMs: number;
  /** Subscriptions that are acknowledged, and silent from then on. */
  silent: ReadonlySet<NotifiedKind>;
  lost: number;
  /** Of users alone; the log of the transaction comes. */
  lostUsers: number;
  /** Of users, which the log does not name either. */
  lostWithLogs: number;
  /** Logs are cut before their first record. */
  cutsLogs: boolean;
  /** Logs hold lines of foreign programs as well, which look like fills. */
  foreignLogs: boolean;
  doubled: number;
  swapped: number;
  malformed: number;
  /** Sound but for a block of a type that no decoder knows. */
  wrongZstd: number;
  /** Notifications carry a slot that is up to so many too low. */
  lowerSlots: number;
  /** Users that go back with a fork are not notified. */
  hidesReverts: boolean;
  /** The share of the users that scans give. */
  scanShare: number;
  /** Scans of markets lack all of them. */
  hidesMarkets: boolean;
  /** The Clock account is wrong by so many seconds. */
  clockErrorSeconds: number;
  hasOtherGenesis: boolean;
  /** One fill in a few is not given, where `isForEver` neither when the fault is over; null gives all. */
  refused: { readonly says: Refusal; readonly isForEver: boolean } | null;
  /** Pages of signatures with this one are refused; null refuses none. */
  refusedPage: string | null;
  /** Accounts whose rows in scans are broken, and because of which calls for accounts are refused. */
  spoilt: ReadonlySet<string>;
  subscribes: 'acknowledged' | 'silent' | 'refused';
  answersPings: boolean;
}

/** A node without a fault. */
export function soundNode(): NodeFaults {
  return {
    isDown: false,
    hanging: new Set(),
    stallsBodies: false,
    tricklesScans: false,
    status: null,
    retryAfterSeconds: null,
    bodies: 'sound',
    extraDelayMs: 0,
    slotsAhead: 0,
    climbsFromSlot: null,
    announcedAhead: 0,
    readingSlotsAhead: 0,
    answersBehindSlots: 0,
    frozenAtSlot: null,
    socketBehindMs: 0,
    silent: new Set(),
    lost: 0,
    lostUsers: 0,
    lostWithLogs: 0,
    cutsLogs: false,
    foreignLogs: false,
    doubled: 0,
    swapped: 0,
    malformed: 0,
    wrongZstd: 0,
    lowerSlots: 0,
    hidesReverts: false,
    scanShare: 1,
    hidesMarkets: false,
    clockErrorSeconds: 0,
    hasOtherGenesis: false,
    refused: null,
    refusedPage: null,
    spoilt: new Set(),
    subscribes: 'acknowledged',
    answersPings: true,
  };
}
