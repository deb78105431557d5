import { readFileSync } from 'node:fs';
import type { RawAccount } from '../contract/accounts.js';
import { keyOf } from '../sim/bytes/keys.js';
import { emptyOrder, type OrderFields, userBytes } from '../sim/bytes/user-account.js';
import { Engine } from './engine.js';
import { EngineError } from './errors.js';

export const PROGRAM = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH';
export const SLOT = 350_000_000;
export const NOW_S = 1_750_000_000;
export const NOW_MS = NOW_S * 1000;

export const ADDRESS = {
  user: '9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p',
  perp: '8UJgxaiQx5nTrdDgph5FiahMmzduuLTLf5WmsPegYA6W',
  spot: '3x85u7SWkmmr7YQGYhtjARgxwegTLJgkSLRprfXod6rh',
  oracle: '3m6i4RFWEDw2Ft4tFHPJtYgmpPe21k56M3FHeWYrgGBz',
  idleUser: '7P34csMzr4yJzUmQH95gVXb8dHharUyRVcnxqQFZjKex',
};

function captured(file: string): string {
  return readFileSync(new URL(`../../test/accounts/${file}`, import.meta.url), 'latin1').trim();
}

/** A captured account, as the RPC returns it. */
function account(pubkey: string, file: string): RawAccount {
  const encoding = file.endsWith('.zst.b64') ? 'base64+zstd' : 'base64';
  return { pubkey, owner: PROGRAM, slot: SLOT, data: captured(file), encoding };
}

export const USER = account(ADDRESS.user, 'user-9Jtc-devnet.b64');
export const IDLE_USER = account(ADDRESS.idleUser, 'zstd-user-1.zst.b64');
export const PERP = account(ADDRESS.perp, 'perp-0-sol-202603.b64');
export const SPOT = account(ADDRESS.spot, 'spot-1-sol-202506.b64');
export const ORACLE = account(ADDRESS.oracle, 'oracle-lazer-sol.b64');

/** The key of a maker, from 0 to 255. */
export const makerKey = (number: number): string => keyOf(Buffer.alloc(32, number));

/** The account of a maker, without positions, with these orders, whose ids count from 1. */
export function makerWith(number: number, orders: readonly Partial<OrderFields>[]): RawAccount {
  const pubkey = makerKey(number);
  const data = userBytes({
    ...{ authority: pubkey, name: 'maker', subAccountId: 0, status: 0, idle: false },
    ...{ nextOrderId: 33, lastActiveSlot: BigInt(SLOT), perpPositions: [], spotPositions: [] },
    orders: orders.map((order, index) => ({ ...emptyOrder(), orderId: index + 1, ...order })),
  });
  const text = data.toString('base64');
  return { pubkey, owner: PROGRAM, slot: SLOT, data: text, encoding: 'base64' };
}

/** Creates an engine and ends its first turn with these accounts. */
export function engineWith(...accounts: readonly RawAccount[]): Engine {
  const engine = new Engine({ programId: PROGRAM, epoch: 'e1' });
  engine.setClock(SLOT, NOW_S);
  engine.setState('live');
  for (const one of accounts) engine.push(one);
  engine.endTurn(NOW_MS);
  return engine;
}

/** The id of an existing market. */
export function idOf(engine: Engine, name: string): number {
  const market = engine.findMarket(name);
  if (market === undefined) throw new Error(`no market ${name}`);
  return market.id;
}

/** Parses a body. */
export function parsed(body: Uint8Array): Record<string, unknown> {
  return JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
}

/** The code of the error that an action throws; undefined without an error. */
export function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error);
  }
  return undefined;
}
