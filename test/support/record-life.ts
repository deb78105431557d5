/** Transactions with records of every kind on a chain that forks, and a node that tells of them badly. */
import { createHash } from 'node:crypto';
import { PROGRAM_IDS } from '../../src/contract/program.js';
import { encodeBase58 } from '../../src/history/store/base58.js';
import { fill, fundingRate } from '../../src/history/store/testing.js';
import type { Random } from '../../src/sim/random.js';
import type { ModelFill } from '../simulation/model-ledger.js';
import { withForeignLines } from '../simulation/model-logs.js';
import type { World } from '../world/world.js';
import { fillBytes, fundingRateBytes, otherBytes, placedBytes } from './logged-records.js';

const PROGRAM = PROGRAM_IDS.drift;
const USERS = 5;
const ORDERS = 40;
const RECORDS_MAX = 6;
/** The numbers of its fills are above those of the ledger's own. */
const FIRST_NUMBER = 1_000_000;
const ACTIONS = ['place', 'cancel', 'trigger', 'expire'] as const;

/** A life of its own on the ledger of a world. */
export class RecordLife {
  readonly users: readonly string[];
  /** The wallet of all users. */
  readonly authority: string;
  /** How many transactions a fork took back, and how many it moved. */
  readonly forked = { taken: 0, moved: 0 };
  landed = 0;
  readonly #scene: World;
  readonly #random: Random;
  #number = FIRST_NUMBER;

  constructor(scene: World, random: Random) {
    this.#scene = scene;
    this.#random = random;
    this.users = Array.from({ length: USERS }, (_, at) => keyOf(`user ${at}`));
    this.authority = keyOf('authority');
  }

  /** A few transactions of the present slot, and a fork now and then. */
  step(): void {
    for (let left = this.#random.nextBetween(1, 6); left > 0; left -= 1) this.#landNext();
    if (this.#random.oneIn(3)) this.#fork();
  }

  #landNext(): void {
    this.landed += 1;
    const { ledger } = this.#scene;
    this.#tell(ledger.land(signatureOf(this.landed), this.#lines()));
  }

  /** A transaction that is not final yet is gone, or is in the present slot, some with other records. */
  #fork(): void {
    const { ledger, chain } = this.#scene;
    const [finalised, slot] = [ledger.slotAt('finalized'), chain.slot];
    const open = ledger.fills.filter((one) => one.slot > finalised && one.slot < slot);
    const victim = this.#random.pickOne(open);
    if (victim === undefined) return;
    ledger.drop(victim.signature);
    if (this.#random.oneIn(2)) this.forked.taken += 1;
    else {
      const lines = this.#random.oneIn(2) ? victim.lines : this.#lines();
      this.#tell(ledger.land(victim.signature, lines));
      this.forked.moved += 1;
    }
  }

  /** Notifications are lost, cut and doubled. */
  #tell(landed: ModelFill): void {
    const chance = this.#random.nextBelow(10);
    const told = chance === 0 ? { ...landed, lines: ['Log truncated'] } : landed;
    for (let left = chance < 3 ? 1 : chance < 9 ? 2 : 0; left > 1 - (chance % 2); left -= 1) {
      for (const node of this.#scene.nodes) node.handleFill(told);
    }
  }

  #lines(): readonly string[] {
    const count = this.#random.nextBetween(1, RECORDS_MAX);
    const records = Array.from({ length: count }, () => {
      return `Program data: ${this.#recordBytes().toString('base64')}`;
    });
    const lines = [`Program ${PROGRAM} invoke [1]`, ...records, `Program ${PROGRAM} success`];
    return this.#random.oneIn(4) ? withForeignLines(lines, this.#scene.chain.slot) : lines;
  }

  #recordBytes(): Buffer {
    const random = this.#random;
    this.#number += 1;
    const { chain } = this.#scene;
    const ts = chain.secondOf(chain.slot);
    const user = random.pickOne(this.users) ?? '';
    const orderId = random.nextBelow(ORDERS);
    const marketIndex = random.nextBelow(2);
    const own = {
      ts,
      user,
      marketIndex,
      userAuthority: this.authority,
      depositRecordId: this.#number,
    };
    const maker = random.pickOne([...this.users, null]) ?? null;
    const action = { ts, marketIndex, taker: user, takerOrderId: orderId, maker, makerOrderId: 1 };
    const fillRecordId = BigInt(this.#number);
    const make: readonly (() => Buffer)[] = [
      () => fillBytes(fill({ ...action, fillRecordId })),
      () => fillBytes(fill({ ...action, fillRecordId, actionExplanation: 'transferPerpPosition' })),
      () =>
        fillBytes(
          fill({ ...action, action: random.pickOne(ACTIONS) ?? 'place', fillRecordId: null }),
        ),
      () => placedBytes(user, ts, orderId),
      () => fundingRateBytes(fundingRate({ ts, marketIndex, recordId: fillRecordId })),
      () => otherBytes('FundingPaymentRecord', zeroes(own)),
      () => otherBytes('DepositRecord', zeroes({ ...own, marketIndex: 0, direction: 'deposit' })),
      () => otherBytes('SettlePnlRecord', zeroes(own)),
      () => otherBytes('LiquidationRecord', zeroes({ ...own, liquidator: keyOf('liquidator') })),
      () => otherBytes('NewUserRecord', zeroes({ ...own, name: user, referrer: user })),
      () => otherBytes('DeleteUserRecord', zeroes({ ...own, keeper: null })),
      () => otherBytes('SpotInterestRecord', zeroes(own)),
    ];
    return random.pickOne(make)?.() ?? Buffer.alloc(0);
  }
}

/** Members of a record; those that are not named are 0. */
function zeroes(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return new Proxy(members, { get: (own, name: string) => (name in own ? own[name] : 0) });
}

function keyOf(name: string): string {
  return encodeBase58(createHash('sha256').update(name).digest());
}

function signatureOf(number: number): string {
  return encodeBase58(createHash('sha512').update(`life ${number}`).digest());
}
