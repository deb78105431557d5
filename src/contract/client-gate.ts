/** Admits clients, or sends them to another process. */
export interface ClientGate {
  /**
   * Asks all clients to reconnect to another process, and admits none; resolves when the last
   * client has left.
   */
  drainClients(): Promise<void>;
  /** Accepts clients again. */
  acceptClients(): void;
}
