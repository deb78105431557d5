import type { FeedMetrics } from '../../contract/feed-status.js';
import type { RpcSocketStats } from '../../rpc/socket.js';
import type { FeedCounters } from './counters.js';
import type { FeedStats } from './feed-status.js';

/** Gathers the figures of the feed and of the sockets of all its nodes. */
export function feedMetrics(stats: FeedStats, sockets: readonly RpcSocketStats[]): FeedMetrics {
  const { slot: _slot, unixSeconds: _unix, ...rest } = stats;
  const { slotAgeMs, slotLag, genesisHash, node, lastAudit, ...counters } = rest;
  const events = { ...(counters satisfies FeedCounters), ...socketEvents(sockets) };
  return { slotAgeMs, slotLag, genesisHash, node, lastAudit, events };
}

function socketEvents(sockets: readonly RpcSocketStats[]): Readonly<Record<string, number>> {
  const sum = (pick: (stats: RpcSocketStats) => number): number =>
    sockets.reduce((total, stats) => total + pick(stats), 0);
  return {
    socketConnects: sum(({ connects }) => connects),
    socketCloses: sum(({ closes }) => closes),
    socketMessages: sum(({ messages }) => messages),
    socketMalformed: sum(({ malformed }) => malformed),
    socketUnknown: sum(({ unknown }) => unknown),
  };
}
