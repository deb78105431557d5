/** Lets clients in, or sends them to another process. */
export interface ClientGate {
  /** Tells all clients to connect again elsewhere, and lets none in; resolves when the last one has gone. */
  sendAway(): Promise<void>;
  /** Lets clients in again. */
  letIn(): void;
}
