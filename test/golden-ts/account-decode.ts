/**
 * Captured accounts and what another decoder made of them (`real-accounts/expected`), put to the
 * client's readers, field by field.
 *
 * Padding is not read. Names are text in ours and bytes in the recording; names of variants begin
 * with a small letter in ours.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  PRELAUNCH_ORACLE_KIND,
  PYTH_LAZER_ORACLE_KIND,
  prelaunchOracleAt,
  pythLazerOracleAt,
} from '../../src/client/accounts/generated/oracles.js';
import { PERP_MARKET_KIND, perpMarketAt } from '../../src/client/accounts/generated/perp-market.js';
import {
  SIGNED_MSG_USER_ORDERS_KIND,
  signedMsgUserOrdersAt,
} from '../../src/client/accounts/generated/signed-msg-user-orders.js';
import { SPOT_MARKET_KIND, spotMarketAt } from '../../src/client/accounts/generated/spot-market.js';
import { STATE_KIND, stateAt } from '../../src/client/accounts/generated/state.js';
import { USER_KIND, userAt } from '../../src/client/accounts/generated/user.js';
import { USER_STATS_KIND, userStatsAt } from '../../src/client/accounts/generated/user-stats.js';
import { type AccountKind, checkedView } from '../../src/client/accounts/reading.js';
import { Cases, type Family, type FamilyReport, type GoldenFile } from './family.js';

type Reader = (view: DataView, at: number) => object;

/** Every reader that is generated, by the program's name of the account. */
export const readers: Readonly<Record<string, readonly [AccountKind, Reader]>> = {
  User: [USER_KIND, userAt],
  UserStats: [USER_STATS_KIND, userStatsAt],
  PerpMarket: [PERP_MARKET_KIND, perpMarketAt],
  SpotMarket: [SPOT_MARKET_KIND, spotMarketAt],
  State: [STATE_KIND, stateAt],
  PythLazerOracle: [PYTH_LAZER_ORACLE_KIND, pythLazerOracleAt],
  PrelaunchOracle: [PRELAUNCH_ORACLE_KIND, prelaunchOracleAt],
  SignedMsgUserOrders: [SIGNED_MSG_USER_ORDERS_KIND, signedMsgUserOrdersAt],
};

interface RecordedAccount {
  readonly type: string;
  readonly decodedBy: string;
  readonly data: object;
}

export const accountFamily: Family = {
  name: 'accounts read by the client',
  matches: (file) => isRecorded(file.json) && bytesPath(file) !== null,
  run,
};

function isRecorded(json: unknown): json is RecordedAccount {
  if (typeof json !== 'object' || json === null) return false;
  const { type, decodedBy } = json as Partial<RecordedAccount>;
  return typeof decodedBy === 'string' && type !== undefined && type in readers;
}

/** The account's bytes lie in a folder beside that of the recording. */
function bytesPath({ path: file }: GoldenFile): string | null {
  const name = `${path.basename(file, '.json')}.b64`;
  const places = ['accounts', 'oracles'].map((folder) => path.join(file, '../..', folder, name));
  return places.find((place) => existsSync(place)) ?? null;
}

function run(file: GoldenFile): FamilyReport {
  const cases = new Cases();
  const place = bytesPath(file);
  if (!isRecorded(file.json) || place === null) throw new Error('there are no bytes');
  const bytes = Buffer.from(readFileSync(place, 'utf8'), 'base64');
  compareAccount(file.name, { type: file.json.type, bytes, recorded: file.json.data }, cases);
  return cases.report();
}

/** Reads an account and compares every field that is recorded and no padding. */
export function compareAccount(
  name: string,
  account: { readonly type: string; readonly bytes: Uint8Array; readonly recorded: object },
  cases: Cases,
): void {
  const reader = readers[account.type];
  if (reader === undefined) throw new Error(`${account.type} has no reader`);
  const [kind, read] = reader;
  const ours = flat('', plain(read(checkedView(account.bytes, kind), 0)));
  const recorded = flat('', plain(account.recorded));
  const paths = [...new Set([...ours.keys(), ...recorded.keys()])];
  const odd = paths.filter((place) => ours.get(place) !== recorded.get(place));
  if (odd.length === 0) cases.passed();
  else
    cases.failed(name, `${odd.length} fields differ, such as ${describe(odd[0], ours, recorded)}`);
}

function describe(
  place: string | undefined,
  ours: ReadonlyMap<string, unknown>,
  recorded: ReadonlyMap<string, unknown>,
): string {
  return `${place}: ours ${ours.get(place ?? '')}, recorded ${recorded.get(place ?? '')}`;
}

/** Every value that is not an object, by its path. */
function flat(place: string, value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[place, value]]);
  return new Map(
    Object.entries(value).flatMap(([name, part]) => [...flat(`${place}.${name}`, part)]),
  );
}

/** A value as both sides have it. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return value.charAt(0).toLowerCase() + value.slice(1);
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !/^(padding|reserved)/.test(name));
  return Object.fromEntries(
    members.map(([name, part]) => [name, name === 'name' ? nameOf(part) : plain(part)]),
  );
}

function nameOf(name: unknown): string {
  if (typeof name === 'string') return name;
  const bytes = Uint8Array.from(name as number[]);
  return new TextDecoder()
    .decode(bytes)
    .replace(/^[ \0]+|[ \0]+$/g, '')
    .trim();
}
