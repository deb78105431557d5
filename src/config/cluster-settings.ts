/** The settings of the chain and its nodes. */
import { PROGRAM_NAMES } from '../contract/program.js';
import { LIMITS } from './limits.js';
import { HTTP, WS } from './protocols.js';
import { choiceRow, inGroup, listRow, textRow, urlRow, urlsRow } from './setting-rows.js';

/** The settings are in the order of the help and of docs/configuration.md. */
export const CLUSTER_SETTINGS = {
  ...inGroup('cluster', {
    rpcUrl: urlRow(
      'HTTP address of a Solana RPC node; user info becomes an Authorization header',
      HTTP,
      'required',
    ),
    wsUrl: urlRow(
      'its subscription address: the same host, the port plus one where a port is named',
      WS,
      'derived',
    ),
    fallbackRpcUrl: urlRow(
      'a second node of the same chain, used while the first one fails',
      HTTP,
      'none',
    ),
    fallbackWsUrl: urlRow('its subscription address', WS, 'derived'),
    snapshotUrl: urlRow(
      'a node for the heavy scan of all users, at the start and for each audit',
      HTTP,
      'node in use',
    ),
    source: listRow(
      'names',
      'streams of the same chain that are merged, comma-separated in any mix, each rpc: or grpc: before an HTTP address; the subscriptions of --rpc-url only where it is named',
      { value: 'sources', countMax: LIMITS.sourcesMax, absent: 'none', secret: 'addresses' },
    ),
    grpcUrl: urlsRow(
      'Yellowstone gRPC servers of the same chain, comma-separated, whose streams are followed in place of the subscription address; https is TLS. Short for --source grpc:',
      { protocols: HTTP, countMax: LIMITS.sourcesMax, absent: 'none' },
    ),
    grpcToken: textRow(
      'the token of these servers, sent as x-token; a user in an address takes its place. Better set in the environment, where no other process reads it',
      { default: null, value: 'token', absent: 'none', secret: 'all' },
    ),
    program: choiceRow(
      'the program whose rules and layouts are read: Drift v2, or Velocity, which went on from it',
      { value: 'name', default: null, choices: PROGRAM_NAMES, absent: 'of --program-id' },
    ),
    programId: {
      kind: 'key',
      value: 'key',
      default: null,
      absent: 'of --program',
      text: "the program's address, with --program of a deployment of your own; without both that of Drift v2",
    },
  }),
} as const;
