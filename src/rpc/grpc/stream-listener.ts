import type { StreamContent } from './messages.js';

/** The events of a stream. */
export interface GrpcStreamListener {
  /** Connected and subscribed: all that was asked for from here on is notified. */
  onOpened(): void;
  /** The connection broke, and is made again so that what was missed is notified. */
  onInterrupted(reason: string): void;
  /** It stands again, and all that was missed is being notified. */
  onResumed(): void;
  /** The connection ended or was never made, and what comes next has a gap before it. */
  onClosed(reason: string): void;
  /** A message could not be read, so that something may be missing. */
  onMalformed(): void;
  onContent(content: StreamContent): void;
}
