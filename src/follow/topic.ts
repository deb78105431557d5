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
}

/** The members by which a subscription names its topic. */
export function membersOf({ channel, market, depth, grouping, maker }: FollowedTopic): object {
  return {
    ...{ channel, market },
    ...(channel === 'bbo' ? {} : { depth }),
    ...(channel !== 'book' || grouping === undefined ? {} : { grouping }),
    ...(channel !== 'l3' || maker === undefined ? {} : { maker }),
  };
}
