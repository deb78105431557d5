// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.

/** The accounts that scans find: their first bytes, and how many they have. */
export const ACCOUNTS = {
  user: { discriminator: '9f755fe3ef973aec', bytes: 4376 },
  perpMarket: { discriminator: '0adf0c2c6bf537f7', bytes: 1216 },
  spotMarket: { discriminator: '64b1086ba8414127', bytes: 776 },
  state: { discriminator: 'd8926b5e684bb6b1', bytes: 992 },
} as const;

/** Where `User.idle` is. */
export const USER_IDLE_OFFSET = 4350;
