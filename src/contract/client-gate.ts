/** Accepts clients, or drains them to another process. */
export interface ClientGate {
  /** Asks all clients to reconnect elsewhere, and accepts none; resolves when the last one has left. */
  drainClients(): Promise<void>;
  /** Accepts clients again. */
  acceptClients(): void;
}
