/** The settings of the aggregator and of the commands demo, replay and verify. */
import { LIMITS } from './limits.js';
import { HTTP } from './protocols.js';
import {
  choiceRow,
  durationRow,
  inGroup,
  integerRow,
  listRow,
  rateRow,
  textRow,
  urlRow,
} from './setting-rows.js';

/** The settings are in the order of the help and of docs/configuration-parts.md. */
export const DEMO_SETTINGS = {
  ...inGroup('aggregator', {
    aggregatorUrl: urlRow(
      'quote API of a swap aggregator, without its /quote; the other --aggregator settings need it',
      HTTP,
      'none',
    ),
    aggregatorMarkets: listRow(
      'names',
      'names of the spot markets that are quoted there, comma-separated',
      { value: 'names', countMax: LIMITS.marketFilterMax, absent: 'all served' },
    ),
    /** The sizes of a small, a typical and a large order. */
    aggregatorSizes: {
      kind: 'sizes',
      default: [100, 1_000, 10_000],
      value: 'list',
      countMax: LIMITS.aggregatorSizesMax,
      text: 'sizes in whole quote that are quoted, ascending',
    },
    aggregatorIntervalMs: durationRow('time between two polls of a market', { default: 1_000 }),
    aggregatorTimeoutMs: durationRow('longest time of one request', { default: 2_000 }),
    aggregatorMaxAgeMs: durationRow(
      'levels older than this are left out; not below --aggregator-interval-ms',
      { default: 5_000 },
    ),
    /** A ladder of three sizes takes six requests. */
    aggregatorRequestsPerSecond: rateRow('requests to it at most', {
      default: 10,
      min: 1,
      max: LIMITS.ratePerSecondMax,
    }),
  }),
  ...inGroup('demo', {
    /** The embedded chain sustains 500. */
    rate: rateRow('account writes', {
      default: 100,
      min: 1,
      max: LIMITS.demoRateMax,
      value: 'writes',
    }),
    seed: integerRow('seed of the simulated market', {
      default: 1,
      min: 0,
      max: LIMITS.demoSeedMax,
      value: 'number',
    }),
    marketsPreset: choiceRow(
      'few: three perp markets, SOL and USDC; mainnet: the names of its 148 markets',
      { default: 'few', value: 'word', choices: ['few', 'mainnet'] },
    ),
    makers: integerRow('market makers; of mainnet 400 if not set', {
      default: 200,
      min: 1,
      max: LIMITS.demoMakersMax,
    }),
    /** The embedded chain slows with its history. */
    fills: rateRow('transactions with fills at most', {
      default: 1,
      min: 0,
      max: LIMITS.demoFillsMax,
    }),
    /**
     * The exchange's funding interval is an hour. Each funding update is a transaction per market,
     * and the embedded chain gets slower as its history grows.
     */
    fundingSeconds: integerRow(
      'time between two funding rates of a market; of mainnet 600 if not set',
      { default: 20, min: 1, max: LIMITS.demoFundingSecondsMax, unit: 's', value: 'seconds' },
    ),
  }),
  ...inGroup('replay', {
    speed: {
      kind: 'number',
      default: 1,
      min: 0,
      max: LIMITS.replaySpeedMax,
      unit: 'times',
      value: 'times',
      text: 'how many times faster than recorded; 0 without any pause',
    },
    at: textRow(
      'serve the book of a journal as it was then: a slot, unix milliseconds, or a time such as 2026-11-01T12:00Z',
      { default: null, value: 'moment', absent: 'all is played' },
    ),
  }),
  ...inGroup('verify', {
    url: {
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
    seconds: integerRow('longest time to compare', {
      default: 20,
      min: 1,
      max: LIMITS.verifySecondsMax,
      unit: 's',
      value: 'seconds',
    }),
  }),
} as const;
