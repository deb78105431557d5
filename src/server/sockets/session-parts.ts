/** The dependencies of a session. */
import type { Timers } from '../../contract/timers.js';
import type { ReplayQuota } from '../admission/replay-quota.js';
import type { TopicQuota } from '../admission/topic-quota.js';
import type { SocketCounts } from '../metrics/socket-metrics.js';
import type { EarlyMessages } from './early-messages.js';
import type { SocketReplaysParts } from './socket-replays.js';
import type { ChannelParts } from './subscription.js';

/** The parts that all sessions share, and the heartbeat topic of this session. */
export interface SessionParts<Session> extends ChannelParts, Pick<SocketReplaysParts, 'replays'> {
  readonly early: EarlyMessages;
  readonly quota: TopicQuota;
  readonly replayQuota: ReplayQuota;
  readonly counts: SocketCounts;
  readonly timers: Timers;
  readonly messagesPerSecond: number;
  readonly messageBurst: number;
  readonly topicsPerSocket: number;
  readonly heartbeatTopic: string;
  readonly onFault: (error: unknown, where: string) => void;
  /** Called when the session must leave its topics before the next publication. */
  readonly onBehind: (session: Session) => void;
  readonly onClosed: (session: Session) => void;
}
