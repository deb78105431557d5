import type { NodeRpc, NodeSocket } from '../../src/rpc/node-pool.js';
import type { RpcSocketListener } from '../../src/rpc/socket.js';

/** A client that must not be asked. */
export const noRpc: NodeRpc = {
  call: () => Promise.reject(new Error('not asked in this test')),
  callRaw: () => Promise.reject(new Error('not asked in this test')),
};

/** A socket that a test opens and closes by hand. */
export class FakeSocket implements NodeSocket {
  listener: RpcSocketListener | null = null;
  starts = 0;

  start(listener: RpcSocketListener): void {
    this.listener = listener;
    this.starts += 1;
  }

  stop(): void {
    this.listener = null;
  }

  dropConnection(reason: string): void {
    this.listener?.onClosed(reason);
  }

  resetBackoff(): void {}

  subscribe(): Promise<never> {
    return Promise.reject(new Error('not asked in this test'));
  }

  unsubscribe(): void {}
}
