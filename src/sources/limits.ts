/** Every bound of `sources`, each with its reason. All times are milliseconds. */

/** Time between two readings: the table moves, and a service is asked twice a second. */
export const READ_INTERVAL_MS = 500;
/** A service that takes longer for its state is not there. */
export const READ_MS_MAX = 5_000;
