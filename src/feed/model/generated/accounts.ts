// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.

/** The accounts that scans find: their first bytes, and how many they have at least and at most. */
export const ACCOUNTS = {
  drift: {
    user: { discriminator: '9f755fe3ef973aec', bytesMin: 4376, bytesMax: 4376 },
    perpMarket: { discriminator: '0adf0c2c6bf537f7', bytesMin: 1216, bytesMax: 1216 },
    spotMarket: { discriminator: '64b1086ba8414127', bytesMin: 776, bytesMax: 776 },
    state: { discriminator: 'd8926b5e684bb6b1', bytesMin: 992, bytesMax: 992 },
  },
  velocity: {
    user: { discriminator: '9f755fe3ef973aec', bytesMin: 4496, bytesMax: null },
    perpMarket: { discriminator: '0adf0c2c6bf537f7', bytesMin: 1304, bytesMax: null },
    spotMarket: { discriminator: '64b1086ba8414127', bytesMin: 808, bytesMax: null },
    state: { discriminator: 'd8926b5e684bb6b1', bytesMin: 1584, bytesMax: null },
  },
} as const;

/** Where `User.idle` is. */
export const USER_IDLE_OFFSET = {
  drift: 4350,
  velocity: 4470,
} as const;

/** Where `SpotMarket.oracle` is. */
export const SPOT_ORACLE_OFFSET = {
  drift: 40,
  velocity: 40,
} as const;
