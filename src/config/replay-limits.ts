/** The limits of past topics, part of `LIMITS`. */
export const REPLAY_LIMITS = {
  /**
   * Maximum replays of one socket: a book and the chart next to it. Each replay has its own book in
   * memory.
   */
  replaysPerSocketMax: 2,
  /**
   * Maximum replays of one address: those of two sockets, and half of all replays, so that one
   * client cannot take all.
   */
  replaysPerIpMax: 4,
  /**
   * Maximum unanswered commands of a replay, such as pauses and seeks: dragging a scrubber sends
   * several a second.
   */
  replayCommandsMax: 16,
} as const;
