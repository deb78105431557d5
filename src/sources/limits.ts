/** The limits of `sources`, each with its reason. All times are milliseconds. */

/** Interval of readings: two a second keep the table moving. */
export const READ_INTERVAL_MS = 500;
/** Time limit of a status response. */
export const READ_MS_MAX = 5_000;
