/** Where a log on NATS is. */
export interface LogPlace {
  /** Addresses of its servers, `nats://` or `tls://`, with user and password where they ask for them. */
  readonly servers: readonly string[];
  /** The name of its JetStream stream; one for each chain. */
  readonly stream: string;
}

/** Of what a log is: only cores of the same chain and program write it. */
export interface LogOrigin {
  readonly programId: string;
  /** The hash that names the chain, base58. */
  readonly genesisHash: string;
}

/** With what the thread of a journal is started whose pieces go to NATS. */
export interface LogSetup extends LogOrigin {
  /** Bytes that the stream keeps at most. */
  readonly bytesMax: number;
  /** Time for which it keeps a message at most, milliseconds. */
  readonly ageMsMax: number;
  /** Servers that hold a copy. */
  readonly replicas: number;
  readonly log: LogPlace;
  /** Whether nothing is written before the log is taken over. */
  readonly isStandby?: boolean;
}

/** Where a core goes on that takes a log over. */
export interface TakenLog {
  /** The name of its run. */
  readonly run: string;
  /** The sequence number of its first message, which has fenced others off. */
  readonly sequence: number;
}
