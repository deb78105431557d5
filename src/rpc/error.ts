/** What can go wrong between us and a Solana RPC server; codes are never renamed. */
export type RpcErrorCode =
  | 'INVALID_RPC_URL'
  | 'RPC_UNREACHABLE'
  | 'RPC_TIMEOUT'
  | 'RPC_ABORTED'
  | 'RPC_HTTP_STATUS'
  | 'RPC_RATE_EXCEEDED'
  | 'RPC_NODE_BEHIND'
  | 'RPC_REJECTED'
  | 'RPC_SOCKET_CLOSED'
  | 'RPC_BODY_EXCEEDED'
  | 'SUBSCRIPTIONS_EXCEEDED'
  | 'MALFORMED_RPC_ANSWER'
  | 'MALFORMED_STREAM_MESSAGE';

/** Facts beside an error: small scalars only, and never a URL that was not redacted. */
export type RpcErrorContext = Readonly<Record<string, string | number | boolean>>;

/** The one error class of this room. Its text holds no key of a URL. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: RpcErrorCode,
    message: string,
    readonly context: RpcErrorContext = {},
  ) {
    super(message);
  }
}

/** The text of anything thrown, for a message that is redacted afterwards. */
export function textOfError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}
