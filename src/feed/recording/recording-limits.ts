/** Every bound of recordings, each with its reason. All times are milliseconds. */
import { RAW_BODY_BYTES_MAX } from '../../rpc/limits.js';

/** Bytes of calls in one record: compressing them takes well under 1 ms, which no request notices. */
export const RECORD_CALL_BYTES_MAX = 64 * 1024;
/** Bytes of one record in the file: what does not compress grows by far less than this. */
export const RECORD_BYTES_MAX = 2 * RECORD_CALL_BYTES_MAX;
/** What was called waits at most this long for more: a crash loses no more than a second. */
export const RECORDER_FLUSH_MS = 500;
/** Bytes of one call: the largest body of a snapshot, and the few bytes around it. */
export const CALL_BYTES_MAX = RAW_BODY_BYTES_MAX + 1024;
/** Bytes that wait for the disk: one such body, and half a minute of a busy chain meanwhile. */
export const RECORDER_QUEUE_BYTES_MAX = CALL_BYTES_MAX + 128 * 1024 * 1024;
/** Bytes of the calls of one turn in a replay: no recorder could have held more. */
export const REPLAY_TURN_BYTES_MAX = RECORDER_QUEUE_BYTES_MAX;
/** Calls of one turn in a replay: each is far larger here than in the file. A feed makes thousands. */
export const REPLAY_TURN_CALLS_MAX = 1_000_000;
/** Characters of a key, an epoch or a program id in a recording; base58 of 32 bytes has 44. */
export const RECORDED_NAME_CHARS_MAX = 64;
/** Bytes read from a recording at once. */
export const RECORDING_READ_BYTES = 1024 * 1024;
/** Snapshots that one turn of a replay begins: a feed begins one, and each is large when decoded. */
export const REPLAY_TURN_SNAPSHOTS_MAX = 4;
/** A turn that is due earlier than this is played now: timers are no finer. */
export const REPLAY_WAIT_MS_MIN = 1;
/** Timers of Node.js wait at most 24 days; a longer pause is waited for in parts. */
export const REPLAY_WAIT_MS_MAX = 3_600_000;
/** Quotes of one maker in one call: the book takes no more at once. */
export const RECORDED_QUOTES_MAX = 32;
