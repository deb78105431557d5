/** The settings of the chain and its nodes. */
import { LIMITS } from './limits.js';
import { HTTP, WS } from './protocols.js';
import type { Setting } from './setting-kinds.js';

/** They are in the order of the help and of docs/operations.md. */
export const CLUSTER_SETTINGS = {
  rpcUrl: {
    group: 'cluster',
    kind: 'url',
    protocols: HTTP,
    default: null,
    value: 'url',
    absent: 'required',
    text: 'HTTP address of a Solana RPC node; user info becomes an Authorization header',
  },
  wsUrl: {
    group: 'cluster',
    kind: 'url',
    protocols: WS,
    default: null,
    value: 'url',
    absent: 'derived',
    text: 'its subscription address: the same host, the port plus one where a port is named',
  },
  fallbackRpcUrl: {
    group: 'cluster',
    kind: 'url',
    protocols: HTTP,
    default: null,
    value: 'url',
    absent: 'none',
    text: 'a second node of the same chain, used while the first one fails',
  },
  fallbackWsUrl: {
    group: 'cluster',
    kind: 'url',
    protocols: WS,
    default: null,
    value: 'url',
    absent: 'derived',
    text: 'its subscription address',
  },
  snapshotUrl: {
    group: 'cluster',
    kind: 'url',
    protocols: HTTP,
    default: null,
    value: 'url',
    absent: 'node in use',
    text: 'a node for the heavy scan of all users, at the start and for each audit',
  },
  source: {
    group: 'cluster',
    kind: 'names',
    default: [],
    value: 'sources',
    countMax: LIMITS.sourcesMax,
    absent: 'none',
    secret: 'addresses',
    text: 'streams of the same chain that are merged, comma-separated in any mix, each rpc: or grpc: before an HTTP address; the subscriptions of --rpc-url only where it is named',
  },
  grpcUrl: {
    group: 'cluster',
    kind: 'urls',
    protocols: HTTP,
    default: null,
    value: 'urls',
    countMax: LIMITS.sourcesMax,
    absent: 'none',
    text: 'Yellowstone gRPC servers of the same chain, comma-separated, whose streams are followed in place of the subscription address; https is TLS. Short for --source grpc:',
  },
  grpcToken: {
    group: 'cluster',
    kind: 'text',
    default: null,
    value: 'token',
    absent: 'none',
    secret: 'all',
    text: 'the token of these servers, sent as x-token; a user in an address takes its place. Better set in the environment, where no other process reads it',
  },
  /** Drift v2's program on Solana's main network. */
  programId: {
    group: 'cluster',
    kind: 'key',
    value: 'key',
    default: 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH',
    text: "Drift v2's program",
  },
} as const satisfies Readonly<Record<string, Setting>>;
