/** Limits of gRPC streams, each with its reason. All times are milliseconds. */

/** Maximum bytes of one message: Solana's largest account has 10 MiB. */
export const GRPC_MESSAGE_BYTES_MAX = 12 * 1024 * 1024;
/**
 * Flow-control window in bytes: HTTP/2's default of 64 kB limits a server 100 ms away to 650 kB a
 * second.
 */
export const GRPC_WINDOW_BYTES = 16 * 1024 * 1024;
/** Time limit for a server to accept a request. */
export const GRPC_OPEN_MS_MAX = 10_000;
/** Interval of pings: load balancers close idle streams. */
export const GRPC_PING_INTERVAL_MS = 2_000;
/** Silence after which a stream counts as dead: pings are answered, and slots arrive constantly. */
export const GRPC_SILENT_MS_MAX = 6_000;
/** First delay before a reconnect. */
export const GRPC_BACKOFF_FIRST_MS = 50;
/** Maximum delay: a refused connect is cheap. */
export const GRPC_BACKOFF_CAP_MS = 1_000;
/** Maximum delay after a refused request: a wrong token stays wrong, and providers count requests. */
export const GRPC_REFUSED_BACKOFF_CAP_MS = 15_000;
/**
 * Overlap of a replay in slots, which covers late notifications and forks. Nodes with replay store
 * 150 slots or more.
 */
export const GRPC_RESUME_SLOTS = 32;
/**
 * Maximum slots between the requested and the first replayed slot, because only a few slots can be
 * skipped on chain.
 */
export const GRPC_RESUMED_SLOTS_MAX = 16;
/**
 * Longest interruption that a replay fills: after a longer one the book is stale, and a gap is
 * reported.
 */
export const GRPC_RESUME_MS_MAX = 5_000;
/** Lifetime of a stream after which it resets the reconnect delay. */
export const GRPC_STABLE_MS = 200;
