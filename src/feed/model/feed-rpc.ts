import type { CallOptions } from '../../rpc/client.js';
import type { RpcSocketListener, Subscription } from '../../rpc/socket.js';
import type { NotificationHandler } from '../../rpc/subscriptions.js';

/** The part of an RpcClient that the feed uses. */
export interface FeedRpc {
  call<T>(
    method: string,
    params: readonly unknown[],
    parse: (result: unknown) => T,
    options?: CallOptions,
  ): Promise<T>;
  callRaw(method: string, params: readonly unknown[], options?: CallOptions): Promise<Uint8Array>;
}

/** The part of an RpcSocket that the feed uses. */
export interface FeedSocket {
  start(listener: RpcSocketListener): void;
  stop(): void;
  drop(reason: string): void;
  settled(): void;
  subscribe(
    method: string,
    params: readonly unknown[],
    handler: NotificationHandler,
  ): Promise<Subscription>;
  unsubscribe(subscription: Subscription): void;
}
