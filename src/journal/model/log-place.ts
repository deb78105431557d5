/** The location of a log on NATS. */
export interface LogPlace {
  /** Addresses of the NATS servers, `nats://` or `tls://`, with user and password if required. */
  readonly servers: readonly string[];
  /** The name of the JetStream stream; each chain has its own. */
  readonly stream: string;
  /** The key that authenticates messages and checkpoints; undefined for no authentication. */
  readonly key?: string | undefined;
}

/** The origin of a log; only cores of the same chain and program may write it. */
export interface LogOrigin {
  readonly programId: string;
  /** The genesis hash, base58. */
  readonly genesisHash: string;
}

/** The configuration of a journal's thread that writes to NATS. */
export interface LogSetup extends LogOrigin {
  readonly bytesMax: number;
  readonly ageMsMax: number;
  readonly replicas: number;
  readonly log: LogPlace;
  /** Whether writing starts only with a failover. */
  readonly isStandby?: boolean;
  /** Whether digests of the records are computed, for the leaves of a signed log. */
  readonly keepsDigests?: boolean;
}

/** The position from which a core takes over a log. */
export interface TakenLog {
  readonly run: string;
  /** The sequence number of this core's first message, which fences off other writers. */
  readonly sequence: number;
}
