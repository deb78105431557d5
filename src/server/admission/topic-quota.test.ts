import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { ClientAddresses } from './client-addresses.js';
import { type QuotaClass, TopicQuota } from './topic-quota.js';

const LOOPBACK = '127.0.0.1';
const topicsMax = 2_000;

/** Acquires topics one after the other; returns the number of successes. */
function fill(quota: TopicQuota, quotaClass: QuotaClass, ip = LOOPBACK, count = 3_000): number {
  for (let at = 0; at < count; at += 1) {
    try {
      quota.acquireTopic({ ip, key: `${quotaClass} ${at}`, quotaClass });
    } catch (error) {
      expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' });
      return at;
    }
  }
  return count;
}

describe('the quota classes of topics', () => {
  test('of chosen topics and of unknown makers are full by themselves, of common ones never', () => {
    const quota = new TopicQuota({ topicsMax, topicsPerIp: 500 });
    expect(fill(quota, 'unknownMaker')).toBe(LIMITS.unknownMakerTopicsMax);
    expect(fill(quota, 'chosen')).toBe(topicsMax);
    expect(fill(quota, 'common')).toBe(3_000);
    expect(quota.topicCount).toBe(3_000 + topicsMax + LIMITS.unknownMakerTopicsMax);
  });

  test('are given back with the last subscriber, wherever the topic would count by then', () => {
    const quota = new TopicQuota({ topicsMax, topicsPerIp: 500 });
    fill(quota, 'unknownMaker');
    const key = 'unknownMaker 0';
    // By now its maker has an account.
    quota.acquireTopic({ ip: LOOPBACK, key, quotaClass: 'chosen' });
    expect(fill(quota, 'chosen')).toBe(topicsMax);
    quota.releaseTopic(LOOPBACK, key);
    const late = { ip: LOOPBACK, key: 'late', quotaClass: 'unknownMaker' } as const;
    expect(() => quota.acquireTopic(late)).toThrow('0 more topics of makers without an account');
    quota.releaseTopic(LOOPBACK, key);
    quota.acquireTopic(late);
  });
});

test('chosen topics of a few addresses leave room for others', () => {
  const quota = new TopicQuota({ topicsMax, topicsPerIp: 0 });
  const taken = [1, 2, 3, 4].map((host) => {
    const ip = `203.0.113.${host}`;
    let count = 0;
    try {
      for (; ; count += 1) quota.acquireTopic({ ip, key: `${ip} ${count}`, quotaClass: 'chosen' });
    } catch (error) {
      expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    }
    return count;
  });
  expect(taken).toEqual([1_000, 500, 250, 125]);
  for (let at = 0; at < 1_000; at += 1) quota.releaseTopic('203.0.113.1', `203.0.113.1 ${at}`);
  expect(fill(quota, 'chosen', '203.0.113.5')).toBe(563);
});

describe('the topics of one address', () => {
  const visitor = '203.0.113.9';

  test('are counted over all classes, and those of loopback too behind a proxy', () => {
    const addresses = new ClientAddresses(['10.0.0.1']);
    for (const quota of [
      new TopicQuota({ topicsMax, topicsPerIp: 10 }),
      new TopicQuota({ topicsMax, topicsPerIp: 10, addresses }),
    ]) {
      expect(fill(quota, 'common', visitor, 6)).toBe(6);
      expect(fill(quota, 'chosen', visitor)).toBe(4);
    }
    expect(fill(new TopicQuota({ topicsMax, topicsPerIp: 10, addresses }), 'common')).toBe(10);
    expect(fill(new TopicQuota({ topicsMax, topicsPerIp: 10 }), 'common')).toBe(3_000);
  });

  test('have no limit when it is 0, and leave nothing behind', () => {
    const quota = new TopicQuota({ topicsMax, topicsPerIp: 0 });
    expect(fill(quota, 'common', visitor)).toBe(3_000);
    for (let at = 0; at < 3_000; at += 1) quota.releaseTopic(visitor, `common ${at}`);
    expect(quota.topicCount).toBe(0);
  });
});
