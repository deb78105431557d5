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
export interface NotificationHandlers {
  readonly onSlot: (result: unknown) => void;
  /** Of the program. */
  readonly onAccount: (update: AccountUpdate | null) => void;
  readonly onClock: (update: AccountUpdate | null) => void;
}

/** Subscribes to all but the oracles, which the markets name. Fails when one subscription does. */
export async function subscribeAll(
  { socket, programId }: FeedParts,
  takers: NotificationHandlers,
): Promise<void> {
  await Promise.all([
    socket.subscribe('slotSubscribe', [], takers.onSlot),
    ...PROGRAM_KINDS.map((kind) => {
      return socket.subscribe(
        'programSubscribe',
        programSubscribeParams(programId, kind),
        (result) => takers.onAccount(parseProgramNotification(kind, result)),
      );
    }),
    socket.subscribe('accountSubscribe', accountSubscribeParams(CLOCK_KEY), (result) => {
      takers.onClock(parseAccountNotification('clock', CLOCK_KEY, result));
    }),
  ]);
}
