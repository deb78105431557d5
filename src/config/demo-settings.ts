/** The settings of the aggregator and of the commands demo, replay and verify. */
import { LIMITS } from './limits.js';
import { HTTP } from './protocols.js';
import type { Setting } from './setting-kinds.js';

const { durationMsMin, durationMsMax, ratePerSecondMax } = LIMITS;

/** The settings are in the order of the help and of docs/operations.md. */
export const DEMO_SETTINGS = {
  aggregatorUrl: {
    group: 'aggregator',
    kind: 'url',
    protocols: HTTP,
    default: null,
    value: 'url',
    absent: 'none',
    text: 'quote API of a swap aggregator, without its /quote; the other --aggregator settings need it',
  },
  aggregatorMarkets: {
    group: 'aggregator',
    kind: 'names',
    default: [],
    value: 'names',
    countMax: LIMITS.marketFilterMax,
    absent: 'all served',
    text: 'names of the spot markets that are quoted there, comma-separated',
  },
  /** The sizes of a small, a typical and a large order. */
  aggregatorSizes: {
    group: 'aggregator',
    kind: 'sizes',
    default: [100, 1_000, 10_000],
    value: 'list',
    countMax: LIMITS.aggregatorSizesMax,
    text: 'sizes in whole quote that are quoted, ascending',
  },
  aggregatorIntervalMs: {
    group: 'aggregator',
    kind: 'integer',
    default: 1_000,
    unit: 'ms',
    value: 'ms',
    min: durationMsMin,
    max: durationMsMax,
    text: 'time between two polls of a market',
  },
  aggregatorTimeoutMs: {
    group: 'aggregator',
    kind: 'integer',
    default: 2_000,
    unit: 'ms',
    value: 'ms',
    min: durationMsMin,
    max: durationMsMax,
    text: 'longest time of one request',
  },
  aggregatorMaxAgeMs: {
    group: 'aggregator',
    kind: 'integer',
    default: 5_000,
    unit: 'ms',
    value: 'ms',
    min: durationMsMin,
    max: durationMsMax,
    text: 'levels older than this are left out; not below --aggregator-interval-ms',
  },
  /** A ladder of three sizes takes six requests. */
  aggregatorRequestsPerSecond: {
    group: 'aggregator',
    kind: 'integer',
    default: 10,
    min: 1,
    max: ratePerSecondMax,
    unit: 'per second',
    value: 'count',
    text: 'requests to it at most',
  },
  /** The embedded chain sustains 500. */
  rate: {
    group: 'demo',
    kind: 'integer',
    default: 100,
    min: 1,
    max: LIMITS.demoRateMax,
    unit: 'per second',
    value: 'writes',
    text: 'account writes',
  },
  seed: {
    group: 'demo',
    kind: 'integer',
    default: 1,
    min: 0,
    max: LIMITS.demoSeedMax,
    value: 'number',
    text: 'seed of the simulated market',
  },
  marketsPreset: {
    group: 'demo',
    kind: 'choice',
    default: 'few',
    value: 'word',
    choices: ['few', 'mainnet'],
    text: 'few: three perp markets, SOL and USDC; mainnet: the names of its 148 markets',
  },
  makers: {
    group: 'demo',
    kind: 'integer',
    default: 200,
    min: 1,
    max: LIMITS.demoMakersMax,
    value: 'count',
    text: 'market makers; of mainnet 400 if not set',
  },
  /** The embedded chain slows with its history. */
  fills: {
    group: 'demo',
    kind: 'integer',
    default: 1,
    min: 0,
    max: LIMITS.demoFillsMax,
    unit: 'per second',
    value: 'count',
    text: 'transactions with fills at most',
  },
  /**
   * The exchange's funding interval is an hour. Each funding update is a transaction per market,
   * and the embedded chain gets slower as its history grows.
   */
  fundingSeconds: {
    group: 'demo',
    kind: 'integer',
    default: 20,
    min: 1,
    max: LIMITS.demoFundingSecondsMax,
    unit: 's',
    value: 'seconds',
    text: 'time between two funding rates of a market; of mainnet 600 if not set',
  },
  speed: {
    group: 'replay',
    kind: 'number',
    default: 1,
    min: 0,
    max: LIMITS.replaySpeedMax,
    unit: 'times',
    value: 'times',
    text: 'how many times faster than recorded; 0 without any pause',
  },
  at: {
    group: 'replay',
    kind: 'text',
    default: null,
    value: 'moment',
    absent: 'all is played',
    text: 'serve the book of a journal as it was then: a slot, unix milliseconds, or a time such as 2026-11-01T12:00Z',
  },
  url: {
    group: 'verify',
    kind: 'url',
    protocols: HTTP,
    default: 'http://127.0.0.1:8080',
    value: 'url',
    text: 'address of the running service',
  },
  /**
   * In a market that changes constantly, several readings are needed until the comparison finds
   * equal states.
   */
  seconds: {
    group: 'verify',
    kind: 'integer',
    default: 20,
    min: 1,
    max: LIMITS.verifySecondsMax,
    unit: 's',
    value: 'seconds',
    text: 'longest time to compare',
  },
} as const satisfies Readonly<Record<string, Setting>>;
