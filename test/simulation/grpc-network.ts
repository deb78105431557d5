/** The gRPC servers of a run in memory, by host name. It carries bytes and their delays, and knows nothing of what they mean. */

/** The server's end of a call. */
export interface HostCall {
  readonly isOpen: boolean;
  /** Sends a message; it arrives in order. */
  send(bytes: Buffer): void;
  /** Ends the call with a status code of gRPC; the client learns of it behind what was sent. */
  end(code: number, message: string): void;
}

/** One server. */
export interface GrpcHost {
  /** One way, in milliseconds. */
  delayMs(): number;
  /** Whether connections are made: `hang` is one without a reply. */
  handleConnect(): 'open' | 'refuse' | 'hang';
  handleRequest(call: HostCall, bytes: Buffer): void;
  handleClose(call: HostCall): void;
}

const hosts = new Map<string, GrpcHost>();

/** Servers by name; each run has its own. */
export function useGrpcHosts(named: ReadonlyMap<string, GrpcHost>): void {
  hosts.clear();
  for (const [name, host] of named) hosts.set(name, host);
}

/** The server of a target, `name:port`; null when the name leads nowhere. */
export function grpcHostOf(target: string): GrpcHost | null {
  return hosts.get(target.split(':')[0] ?? '') ?? null;
}
