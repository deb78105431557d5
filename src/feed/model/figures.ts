import type { RpcSocketStats } from '../../rpc/socket.js';
import type { FeedCounters, LastAudit } from './counters.js';
import type { FeedStats } from './feed-status.js';

/** What the feed met, in the shape that /metrics and /status take. */
export interface FeedFigures {
  readonly slotAgeMs: number;
  readonly slotLag: number;
  readonly genesisHash: string | null;
  readonly node: string;
  readonly lastAudit: LastAudit | null;
  /** Counts since the start, by what happened. */
  readonly events: Readonly<Record<string, number>>;
}

/** Gathers the figures of the feed and of the sockets of all its nodes. */
export function feedFigures(stats: FeedStats, sockets: readonly RpcSocketStats[]): FeedFigures {
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
