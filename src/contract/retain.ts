/** How long the history keeps records, by kinds as settings name them. */

/** The days for which each kind is kept, if nothing else is set; 0 for ever. */
export const RETAIN_DEFAULTS = {
  trades: 0,
  funding: 0,
  deposits: 0,
  settlements: 0,
  liquidations: 0,
  users: 0,
  orders: 2,
  others: 2,
} as const;

/** Days by kind; 0 for ever. */
export type Retain = Readonly<Record<keyof typeof RETAIN_DEFAULTS, number>>;
