import { JetStreamApiError, jetstream, jetstreamManager, type StoredMsg } from '@nats-io/jetstream';
import { type ObjectStore, Objm } from '@nats-io/obj';
import {
  AuthorizationError,
  connect,
  type NatsConnection,
  type NodeConnectionOptions,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node';
import { shownFailure } from '../../rpc/error.js';
import { JournalError } from '../model/error.js';
import {
  NATS_CONNECT_MS_MAX,
  NATS_PING_MS,
  NATS_PINGS_MISSED_MAX,
  NATS_RECONNECT_MS,
} from '../model/limits.js';
import type { LogPlace } from '../model/log-place.js';

/** A connection to the NATS servers of a log. */
export interface LogConnection {
  readonly nats: NatsConnection;
  readonly stream: ReturnType<typeof jetstream>;
  readonly manager: Awaited<ReturnType<typeof jetstreamManager>>;
  openObjects(options?: { readonly replicas: number }): Promise<ObjectStore>;
}

/** The only subject of a log's stream. */
export function subjectOf({ stream }: LogPlace): string {
  return `${stream}.log`;
}

/** The subject on which readers request a checkpoint from the core; its messages are not stored. */
export function wantedOf({ stream }: LogPlace): string {
  return `${stream}.wanted`;
}

/** The bucket of its checkpoints. */
export function bucketOf({ stream }: LogPlace): string {
  return `${stream}-checkpoints`;
}

/**
 * Connects to the servers of a log; a lost connection is then retried without end.
 *
 * # Errors
 * Rejects with `LOG_REFUSED` when the servers deny access, `LOG_UNREACHABLE` when none is
 * reachable.
 */
export async function connectLog(
  place: LogPlace,
  name: string,
  more: Pick<NodeConnectionOptions, 'noEcho'> = {},
): Promise<LogConnection> {
  try {
    const nats = await connect({ ...optionsOf(place, name), ...more });
    const stream = jetstream(nats, { timeout: NATS_CONNECT_MS_MAX });
    const manager = await jetstreamManager(nats, { timeout: NATS_CONNECT_MS_MAX, checkAPI: false });
    const objects = new Objm(stream);
    return {
      nats,
      stream,
      manager,
      openObjects: (options) =>
        options === undefined
          ? objects.open(bucketOf(place))
          : objects.create(bucketOf(place), { ...options }),
    };
  } catch (error) {
    throw connectError(error);
  }
}

function optionsOf(place: LogPlace, name: string): NodeConnectionOptions {
  return {
    ...credentialsOf(place),
    servers: place.servers.map((server) => new URL(server).host),
    ...(place.servers.some((server) => server.startsWith('tls:')) ? { tls: {} } : {}),
    name,
    timeout: NATS_CONNECT_MS_MAX,
    pingInterval: NATS_PING_MS,
    maxPingOut: NATS_PINGS_MISSED_MAX,
    maxReconnectAttempts: -1,
    reconnectTimeWait: NATS_RECONNECT_MS,
    // Access may be denied while a server restarts, before it has its passwords.
    ignoreAuthErrorAbort: true,
  };
}

function connectError(error: unknown): JournalError {
  const isRefusal =
    error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;
  if (isRefusal) {
    const message = 'NATS does not accept the user and password of --nats';
    return new JournalError('LOG_REFUSED', message, { cause: error });
  }
  const message = `NATS cannot be reached: ${shownFailure(error)}`;
  return new JournalError('LOG_UNREACHABLE', message, { cause: error });
}

/** JetStream's error code for a rejected message when the stream has reached its maximum size. */
const STORE_FAILED = 10_077;

/**
 * Returns a temporary failure with a code or the name of the failure, and without text from the
 * servers.
 */
export function unreachableError(error: unknown): JournalError {
  if (error instanceof JournalError) return error;
  const code = codeOf(error);
  const what =
    code === STORE_FAILED ? 'the log is full, or the disk of its server' : shownFailure(error);
  const shown = `${what}${code === 0 ? '' : ` (${code})`}`;
  return new JournalError('LOG_UNREACHABLE', `NATS: ${shown}`, { cause: error });
}

/**
 * Returns the error for a message that another core has appended; its name is only logged, because
 * its text is not trusted.
 */
export function fencedError(id: string): JournalError {
  const cause = new Error(`its last message is ${id}`);
  return new JournalError('LOG_FENCED', 'another core writes the log', { cause });
}

/** JetStream's error codes for a missing stream, and a missing message. */
const [NO_STREAM, NO_MESSAGE] = [10_059, 10_037] as const;

/** Returns whether a stream, or the stream of a bucket, does not exist. */
export function isMissingStream(error: unknown): boolean {
  return codeOf(error) === NO_STREAM;
}

/** Reads a message of a stream; null when it is deleted. Rejects with the client's errors. */
export async function readStored(
  { manager }: Pick<LogConnection, 'manager'>,
  stream: string,
  sequence: number,
): Promise<StoredMsg | null> {
  try {
    return await manager.streams.getMessage(stream, { seq: sequence });
  } catch (error) {
    if (codeOf(error) !== NO_MESSAGE) throw error;
    return null;
  }
}

/** Returns JetStream's code of an error; 0 for other errors. */
export function codeOf(error: unknown): number {
  return error instanceof JetStreamApiError ? error.code : 0;
}

function credentialsOf({ servers }: LogPlace): { user?: string; pass?: string; token?: string } {
  const url = servers.map((server) => new URL(server)).find(({ username }) => username !== '');
  if (url === undefined) return {};
  const [user, pass] = [url.username, url.password].map(decodeURIComponent);
  return pass === '' ? { token: user ?? '' } : { user: user ?? '', pass: pass ?? '' };
}
