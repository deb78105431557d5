/** The configured streams, merged as one connection. */
import type { ServiceConfig } from '../config/config.js';
import { GrpcSource } from '../feed/grpc/grpc-source.js';
import { MergedSources } from '../feed/sources/merged-sources.js';
import { RpcSource } from '../feed/sources/rpc-source.js';
import { RpcClient } from '../rpc/client.js';
import type { RpcNodes } from '../rpc/node-pool.js';
import { RpcSocket } from '../rpc/socket.js';
import type { FeedRuntime } from './runtime.js';

/** Returns the streams to merge; undefined when the nodes' subscriptions are followed. */
export function mergeSources(
  { sources: configs = [], programId, program }: ServiceConfig,
  witnesses: RpcNodes,
  runtime: FeedRuntime,
): MergedSources | undefined {
  if (configs.length === 0) return undefined;
  const sources = configs.map((source) => {
    if (source.kind === 'grpc')
      return new GrpcSource({ ...source, programId, program, ...runtime });
    const { timers } = runtime;
    const { host: name } = new RpcClient({ url: source.rpcUrl, timers });
    const socket = new RpcSocket({ url: source.wsUrl, timers });
    return new RpcSource({ name, socket, programId, program });
  });
  return new MergedSources({ sources, witnesses, ...runtime });
}
