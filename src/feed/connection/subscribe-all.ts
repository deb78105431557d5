import {
  type AccountUpdate,
  parseAccountNotification,
  parseProgramNotification,
} from '../model/account-update.js';
import {
  accountSubscribeParams,
  CLOCK_KEY,
  PROGRAM_KINDS,
  programSubscribeParams,
} from '../model/queries.js';
import type { FeedParts } from './parts.js';

/** Who takes the notifications; null stands for one that could not be read. */
export interface NotificationTakers {
  readonly slot: (result: unknown) => void;
  /** Of the program. */
  readonly account: (update: AccountUpdate | null) => void;
  readonly clock: (update: AccountUpdate | null) => void;
}

/** Subscribes to all but the oracles, which the markets name. Fails when one subscription does. */
export async function subscribeAll(
  { socket, programId }: FeedParts,
  takers: NotificationTakers,
): Promise<void> {
  await Promise.all([
    socket.subscribe('slotSubscribe', [], takers.slot),
    ...PROGRAM_KINDS.map((kind) => {
      return socket.subscribe(
        'programSubscribe',
        programSubscribeParams(programId, kind),
        (result) => takers.account(parseProgramNotification(kind, result)),
      );
    }),
    socket.subscribe('accountSubscribe', accountSubscribeParams(CLOCK_KEY), (result) => {
      takers.clock(parseAccountNotification('clock', CLOCK_KEY, result));
    }),
  ]);
}
