import type { StreamContent } from './messages.js';

/** The events of a stream. */
export interface GrpcStreamListener {
  /** Connected and subscribed: all later changes will be notified. */
  onOpened(): void;
  /** The connection broke; the reconnect will replay missed messages. */
  onInterrupted(reason: string): void;
  /** Connected again; missed messages are being replayed. */
  onResumed(): void;
  /** The connection ended or failed; the next one has a gap. */
  onClosed(reason: string): void;
  /** A message was malformed, so a change may be missing. */
  onMalformed(): void;
  onContent(content: StreamContent): void;
}
