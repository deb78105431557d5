import type { RpcSubscription } from '../../rpc/socket.js';
import {
  type AccountUpdate,
  parseAccountNotification,
  parseProgramNotification,
} from '../model/account-update.js';
import { FeedError } from '../model/error.js';
import { ORACLES_MAX } from '../model/limits.js';
import {
  accountSubscribeParams,
  CLOCK_KEY,
  PROGRAM_KINDS,
  programSubscribeParams,
} from '../model/queries.js';
import type { FeedParts } from './parts.js';

/** The system program's key: what a market with a fixed price names as its oracle. */
const NO_ORACLE_KEY = '11111111111111111111111111111111';

/** Receives the parsed notification, or null when it could not be read. */
export type UpdateHandler = (update: AccountUpdate | null) => void;

/** The oracle subscriptions of one connection, kept equal to what the markets name. */
export class OracleSubscriptions {
  readonly #parts: FeedParts;
  readonly #onUpdate: UpdateHandler;
  readonly #subscriptions = new Map<string, RpcSubscription>();

  constructor(parts: FeedParts, onUpdate: UpdateHandler) {
    this.#parts = parts;
    this.#onUpdate = onUpdate;
  }

  /** The oracles subscribed to. */
  followedKeys(): readonly string[] {
    return [...this.#subscriptions.keys()];
  }

  /** Subscribes to oracles that are new, ends those that no market names; returns the new ones. */
  async followMarkets(): Promise<readonly string[]> {
    const wanted = new Set(this.#parts.engine.oracleKeys());
    wanted.delete(NO_ORACLE_KEY);
    if (wanted.size > ORACLES_MAX) throw tooManyOraclesError(wanted.size);
    for (const key of this.followedKeys()) if (!wanted.has(key)) this.#unsubscribeFrom(key);
    const added = [...wanted].filter((key) => !this.#subscriptions.has(key));
    await Promise.all(added.map((key) => this.#subscribeTo(key)));
    return added;
  }

  async #subscribeTo(key: string): Promise<void> {
    const params = accountSubscribeParams(key);
    const subscription = await this.#parts.socket.subscribe('accountSubscribe', params, (result) =>
      this.#onUpdate(parseAccountNotification('oracle', key, result)),
    );
    this.#subscriptions.set(key, subscription);
  }

  #unsubscribeFrom(key: string): void {
    const subscription = this.#subscriptions.get(key);
    if (subscription !== undefined) this.#parts.socket.unsubscribe(subscription);
    this.#subscriptions.delete(key);
  }
}

function tooManyOraclesError(count: number): FeedError {
  const message = `oracles were ${count}, must be at most ${ORACLES_MAX}`;
  return new FeedError('ACCOUNTS_EXCEEDED', message, { count });
}

/** The handlers of notifications; null stands for one that could not be read. */
export interface NotificationHandlers {
  readonly onSlot: (result: unknown) => void;
  /** Of the program. */
  readonly onAccount: (update: AccountUpdate | null) => void;
  readonly onClock: (update: AccountUpdate | null) => void;
}

/** Subscribes to all but the oracles, which the markets name. Fails when one subscription does. */
export async function subscribeAll(
  { socket, programId }: FeedParts,
  handlers: NotificationHandlers,
): Promise<void> {
  await Promise.all([
    socket.subscribe('slotSubscribe', [], handlers.onSlot),
    ...PROGRAM_KINDS.map((kind) => {
      return socket.subscribe(
        'programSubscribe',
        programSubscribeParams(programId, kind),
        (result) => handlers.onAccount(parseProgramNotification(kind, result)),
      );
    }),
    socket.subscribe('accountSubscribe', accountSubscribeParams(CLOCK_KEY), (result) => {
      handlers.onClock(parseAccountNotification('clock', CLOCK_KEY, result));
    }),
  ]);
}
