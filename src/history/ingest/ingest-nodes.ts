import { RpcClient } from '../../rpc/client.js';
import { PATIENCE_WITH_FALLBACK } from '../../rpc/limits.js';
import { RpcSocket } from '../../rpc/socket.js';
import type { HistoryNode, WorkerSetup } from '../model/messages.js';
import type { IngestNode } from './parts.js';

/** The nodes in their order. Where there are several none is waited for as long as the only one. */
export function ingestNodes({
  nodes,
}: Pick<WorkerSetup, 'nodes'>): readonly [IngestNode, ...IngestNode[]] {
  const [first, ...others] = nodes;
  const patience = others.length === 0 ? {} : PATIENCE_WITH_FALLBACK;
  const nodeOf = ({ rpcUrl, wsUrl }: HistoryNode): IngestNode => {
    const rpc = new RpcClient({ url: rpcUrl, ...patience });
    return { name: rpc.host, rpc, socket: new RpcSocket({ url: wsUrl }) };
  };
  return [nodeOf(first), ...others.map(nodeOf)];
}
