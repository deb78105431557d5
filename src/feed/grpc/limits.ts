/** The limits of accounts over gRPC, each with its reason. */

/** Maximum cached texts of account keys: more than the program has users. */
export const GRPC_KEYS_MAX = 500_000;
