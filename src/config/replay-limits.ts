/** The limits of past topics, part of `LIMITS`. */
export const REPLAY_LIMITS = {
  /** Replays of one socket: a book and an accompanying chart. Each has its own book in memory. */
  replaysPerSocketMax: 2,
  /**
   * Replays of one address: two sockets' worth, and half of all slots, so that one client cannot
   * take them all.
   */
  replaysPerIpMax: 4,
  /** Unanswered commands of a replay, such as pauses and seeks: a dragged scrubber sends several a second. */
  replayCommandsMax: 16,
} as const;
