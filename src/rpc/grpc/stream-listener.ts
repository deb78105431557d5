import type { StreamContent } from './messages.js';

/** The events of a stream. */
export interface GrpcStreamListener {
  /** Called when the stream is connected and subscribed: all later changes will be notified. */
  onOpened(): void;
  /** Called when the connection broke; after the reconnect, missed messages are replayed. */
  onInterrupted(reason: string): void;
  /** Connected again; missed messages are being replayed. */
  onResumed(): void;
  /** Called when the connection ended or failed; there is a gap before the next connection. */
  onClosed(reason: string): void;
  /** Called when a message was malformed, so that a change may be missing. */
  onMalformed(): void;
  onContent(content: StreamContent): void;
}
