/** What is followed: the part of a subscription that says which book it is. */
export interface FollowedTopic {
  readonly channel: 'book' | 'bbo' | 'l3';
  /** A name, in any case. */
  readonly market: string;
  /** Levels or orders of a side; `bbo` has one level. */
  readonly depth: number;
  /** Ticks a group, for `book`; 1 for every level. */
  readonly grouping?: number | undefined;
  /** Only the orders of this user account, for `l3`. */
  readonly maker?: string | undefined;
  /** The levels of the market's AMM as well; `l3` has none. */
  readonly vamm?: boolean | undefined;
  /** Indicative quotes as well. */
  readonly indicative?: boolean | undefined;
}

/** The members by which a subscription names its topic. */
export function membersOf(topic: FollowedTopic): object {
  const { channel, market, depth, grouping, maker, vamm, indicative } = topic;
  return {
    ...{ channel, market },
    ...(channel === 'bbo' ? {} : { depth }),
    ...(channel !== 'book' || grouping === undefined ? {} : { grouping }),
    ...(channel !== 'l3' || maker === undefined ? {} : { maker }),
    ...(channel !== 'l3' && vamm === true ? { includeVamm: true } : {}),
    ...(indicative === true ? { includeIndicative: true } : {}),
  };
}
