/** Bounds of a stream over gRPC, each with its reason. All times are milliseconds. */

/** One message over gRPC: an account of 10 MiB, which Solana allows at most, with room for the rest. */
export const GRPC_MESSAGE_BYTES_MAX = 12 * 1024 * 1024;
/** Bytes that a server may send ahead of their receipt: 64 kB, the default of HTTP/2, are 650 kB a second of one that is 100 ms away. */
export const GRPC_WINDOW_BYTES = 16 * 1024 * 1024;
/** A stream whose request is not taken by then never will be. */
export const GRPC_OPEN_MS_MAX = 10_000;
/** Own pings: balancers between end a stream on which nothing is sent. */
export const GRPC_PING_INTERVAL_MS = 2_000;
/** Silence after which a stream is dead: each ping has its pong, and slots come all the time. */
export const GRPC_SILENT_MS_MAX = 6_000;
/** First wait before a stream is made again. */
export const GRPC_BACKOFF_FIRST_MS = 50;
/** Longest such wait: a refused connect is cheap. */
export const GRPC_BACKOFF_CAP_MS = 1_000;
/** The same after a request that was refused: a wrong token stays wrong, and providers count requests. */
export const GRPC_REFUSED_BACKOFF_CAP_MS = 15_000;
/**
 * Slots before the newest one that are asked for again after a cut: what was notified late of them, and those of a fork.
 * Nodes that store slots at all store 150 or more.
 */
export const GRPC_RESUME_SLOTS = 32;
/** A replay that begins later than this after the slot asked for leaves something out: slots may be skipped, but few. */
export const GRPC_RESUMED_SLOTS_MAX = 16;
/** A stream that is interrupted for longer has a gap: the book is stale by then. */
export const GRPC_RESUME_MS_MAX = 5_000;
/** A stream that stood for so long works: the next wait is the first one again. */
export const GRPC_STABLE_MS = 200;
