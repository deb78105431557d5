/** The offsets of Drift v2's accounts, for tools that change the bytes of a simulated account. */
import { LAYOUTS } from './generated/layout.js';

/** The fields of a `PerpMarket` and of a `SpotMarket`. */
export const { PERP_MARKET, SPOT_MARKET } = LAYOUTS.drift;
