import { expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { FakeBook } from '../testing/running-server.js';
import { ClientMessage } from './client-message.js';
import { compatible } from './compatible-dialect.js';
import type { HistoryTopics } from './history-topics.js';
import { marketData } from './market-dialect.js';
import { streaming } from './stream-dialect.js';
import type { ChannelParts, Dialect } from './subscription.js';

const book = new FakeBook();
const parts = {
  ...{ book, directory: book },
  market: { requireHistory: () => undefined } as HistoryTopics,
} as unknown as ChannelParts;

const flags = [undefined, true, false];
const encodings = [undefined, 'json', 'binary'];
const groupings = [undefined, 1, 2, 10];
const depths = [undefined, 10, 20, 50];
const makers = [undefined, 'maker'];
const resolutions = ['1', '5', '15', '60', '240', 'D', 'W', 'M', '1440', 'd', 5];

/** All combinations of the members' values. */
function combinations(members: Readonly<Record<string, readonly unknown[]>>): readonly object[] {
  return Object.entries(members).reduce<readonly object[]>(
    (found, [name, values]) =>
      found.flatMap((one) =>
        values.map((value) => (value === undefined ? one : { ...one, [name]: value })),
      ),
    [{}],
  );
}

const messages: readonly (readonly [Dialect, readonly object[]])[] = [
  [
    streaming,
    combinations({
      ...{ channel: ['book', 'bbo', 'l3'], market: ['SOL-PERP'] },
      ...{ includeVamm: flags, includeIndicative: flags, timing: flags },
      ...{ depth: depths, grouping: groupings, maker: makers, encoding: encodings },
    }),
  ],
  [
    compatible,
    combinations({
      ...{ channel: ['orderbook', 'orderbook_indicative', 'trades'] },
      ...{ market: ['SOL-PERP'], marketType: ['perp'] },
      ...{ includeVamm: flags, depth: depths, grouping: groupings },
    }),
  ],
  [
    marketData,
    combinations({
      channelType: ['candle', 'trades', 'orderbook'],
      symbol: ['SOL-PERP'],
      resolution: resolutions,
    }),
  ],
];

test('the common topics of a market are as many as the limit says', () => {
  const common = new Set<string>();
  for (const [dialect, sent] of messages) {
    for (const one of sent) {
      const message = ClientMessage.parse(JSON.stringify(one));
      if (message === undefined) throw new Error('the message is an object');
      const { key, quotaClass } = dialect.readRequest(message, parts);
      if (quotaClass === 'common') common.add(key);
    }
  }
  expect([...common].filter((key) => /maker|timing|g2|g10/.test(key))).toEqual([]);
  expect(common.size).toBe(LIMITS.commonTopicsPerMarket);
});
