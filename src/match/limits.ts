/** Every bound of a question, each with its reason. */

/** The largest answer has 8,192 fills of some 250 bytes; there is room for more. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** An answer that takes longer will not come. */
export const ANSWER_MS_MAX = 15_000;
/** Characters of the service's error that are repeated. */
export const TEXT_CHARS_MAX = 500;
