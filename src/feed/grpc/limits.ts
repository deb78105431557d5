/** Bounds of accounts over gRPC, each with its reason. */

/** Keys of accounts whose text is kept: more than the program has users. */
export const GRPC_KEYS_MAX = 500_000;
