/** Every bound of a question, each with its reason. */

/** The largest answer has 16,384 fills of some 250 bytes. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** An answer that takes longer will not come. */
export const ANSWER_MS_MAX = 15_000;
/** Characters of the service's error that are repeated. */
export const TEXT_CHARS_MAX = 500;
