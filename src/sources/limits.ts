/** The limits of `sources`, each with its reason. All times are milliseconds. */

/** Milliseconds between two readings: the table updates twice a second. */
export const READ_INTERVAL_MS = 500;
/** Time limit of a status response. */
export const READ_MS_MAX = 5_000;
