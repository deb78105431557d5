/** What the chain itself does, and single items of it that a node refuses. */
import type { FaultKind } from './faults.js';

/** What was written in the last slots goes back, and all nodes notify of it. */
export const FORK: FaultKind = {
  name: 'a fork of some slots is abandoned',
  lastsMsMax: 1,
  begin: ({ chain, random }) => void chain.revertSlots(random.nextBetween(1, 4)),
};

/** The users of a fork go back and no node notifies of them, as with the subscriptions of a program. */
export const UNTOLD_FORK: FaultKind = {
  name: 'a fork is abandoned, and its users are not notified',
  lastsMsMax: 1,
  node: () => ({ hidesReverts: true }),
  begin: ({ chain }) => void chain.revertSlots(2),
};

/** An account is closed in the transaction that cancels its orders, and no subscription by owner notifies of it. */
export const GONE_WITHOUT_A_WORD: FaultKind = {
  name: 'an account is gone without a word',
  lastsMsMax: 30_000,
  begin: ({ chain, random }) => {
    const pubkey = random.pickOne([...chain.accounts.keys()].filter((key) => chain.canClose(key)));
    if (pubkey !== undefined) chain.closeAccount(pubkey);
  },
  end: ({ chain }) => chain.reopenAccounts(),
};

/** A notification of a user that never was. The node itself does not have it when it is asked. */
export const MADE_UP_USER: FaultKind = {
  name: 'a user is notified that the chain never had',
  lastsMsMax: 1,
  begin: ({ node }) => node.notifyMadeUpUser(),
};

/** The same by a gRPC server, for a slot. Random runs do not draw it: beside one server that lies another one is honest. */
export const MADE_UP_BY_SERVER: FaultKind = {
  name: 'a gRPC server notifies of a user that the chain never had',
  lastsMsMax: 400,
  server: () => ({ makesUp: true }),
};

/** The names that a market gets. */
const NAMES = ['RENAMED-PERP', 'XBT-PERP', 'BTC-PERP-2'];

/** A market is renamed, and renamed back. */
export const RENAMED_MARKET: FaultKind = {
  name: 'a market is renamed for a while',
  lastsMsMax: 40_000,
  begin: ({ chain, random }) => chain.renameMarket('BTC-PERP', random.pickOne(NAMES) ?? ''),
  end: ({ chain }) => chain.restoreNames(),
};

/** Programs that run beside the exchange's write what looks like its records. */
export const FOREIGN_LOGS: FaultKind = {
  name: 'foreign programs log what looks like fills',
  lastsMsMax: 60_000,
  node: () => ({ foreignLogs: true }),
};

/** What the chain itself does. */
export const CHAIN: readonly FaultKind[] = [
  GONE_WITHOUT_A_WORD,
  MADE_UP_USER,
  FORK,
  UNTOLD_FORK,
  RENAMED_MARKET,
  FOREIGN_LOGS,
];

/** A node refuses to give some transactions, for ever or for a while, and gives all else. */
export const REFUSED_ITEMS: readonly FaultKind[] = (
  ['unsupported version', 'internal error', 'malformed', 'nothing'] as const
).flatMap((says) =>
  [true, false].map((isForEver) => ({
    name: `a refused item: ${says}${isForEver ? ', for ever' : ''}`,
    lastsMsMax: 120_000,
    node: () => ({ refused: { says, isForEver } }),
  })),
);

/** A node refuses pages of signatures that hold one of the last transactions. */
export const REFUSED_PAGE: FaultKind = {
  name: 'a refused item: a page of signatures',
  lastsMsMax: 120_000,
  node: ({ node, random }) => ({ refusedPage: node.recentSignature(random) }),
};
