/** The limits of topics of the past, which are among `LIMITS`. */
export const REPLAY_LIMITS = {
  /** Replays of one socket: a book and what is drawn beside it. Each has a book of its own in memory. */
  replaysPerSocketMax: 2,
  /** Replays of one address: two sockets' worth, and half of all places, so that nobody alone takes them all. */
  replaysPerIpMax: 4,
  /** Pauses, seeks and the like of a replay that have no answer yet: a scrubber that is dragged sends some a second. */
  replayCommandsMax: 16,
} as const;
