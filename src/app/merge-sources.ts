/** The streams of the settings, as one connection. */
import type { Logger } from 'pino';
import type { ServiceConfig } from '../config/config.js';
import { GrpcSource } from '../feed/grpc/grpc-source.js';
import { MergedSources } from '../feed/sources/merged-sources.js';
import { RpcSource } from '../feed/sources/rpc-source.js';
import { RpcClient } from '../rpc/client.js';
import type { RpcNodes } from '../rpc/node-pool.js';
import { RpcSocket } from '../rpc/socket.js';

/** The streams to follow; undefined leaves it to the nodes' subscriptions. */
export function mergeSources(
  { sources: configs = [], programId }: ServiceConfig,
  witnesses: RpcNodes,
  log: Logger,
): MergedSources | undefined {
  if (configs.length === 0) return undefined;
  const sources = configs.map((source) => {
    if (source.kind === 'grpc') return new GrpcSource({ ...source, programId, log });
    const { host: name } = new RpcClient({ url: source.rpcUrl });
    return new RpcSource({ name, socket: new RpcSocket({ url: source.wsUrl }), programId });
  });
  return new MergedSources({ sources, witnesses, log });
}
