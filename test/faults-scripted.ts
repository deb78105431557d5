/** The faults that a scripted node plays, each with what is claimed of the book meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CLOCK_KEY } from '../src/feed/model/queries.js';
import type { ChainWrite } from './scripted-chain.js';
import type { Reply } from './scripted-rpc.js';
import type { FaultRig, RigOptions } from './support/fault-rig.js';
import { until } from './support/until.js';

/** What goes wrong, and when it is over. */
export interface Fault {
  readonly name: string;
  readonly options?: Omit<RigOptions, 'seed' | 'toldMsMax' | 'oldMsMax'>;
  /** Makes it happen, and calls `returned` when it is over. */
  readonly run: (rig: FaultRig) => Promise<void>;
  /** From the end of the fault until the book has all; 2 s where nothing is said. */
  readonly backMsMax?: number;
  /** Why wrong levels may be live until the next audit; none may be where nothing is said. */
  readonly wrongUntilAudit?: string;
  /** Levels may be wrong for so long while the book is live. */
  readonly wrongMsMax?: number;
}

const AUDIT_MS = 1_000;
/** Until the next audit, the two slots that it waits for, and its work. */
const AUDITED_MS_MAX = AUDIT_MS + 2_000;
const AUDITED: Fault['options'] = {
  forgiving: true,
  // So many that most are not written again before the audit.
  makers: 400,
  settings: { auditIntervalMs: String(AUDIT_MS), probeIntervalMs: '0' },
};
/** Until the probe after the first one that finds a difference, on a busy machine. */
const PROBED: Pick<Fault, 'options' | 'backMsMax' | 'wrongMsMax'> = {
  options: { forgiving: true, settings: { auditIntervalMs: '0' } },
  // The wait before the third connection that loses messages, and its scan.
  backMsMax: 6_000,
  wrongMsMax: 3_000,
};
const USER_BYTES = 4_376;

const isUser = ({ bytes }: ChainWrite): boolean => bytes?.length === USER_BYTES;
const isClock = ({ pubkey }: ChainWrite): boolean => pubkey === CLOCK_KEY;

/** Breaks the connection, so that everything is read again. */
function cut(rig: FaultRig): void {
  rig.node.cut();
  rig.watch.returned();
}

/** The node answers scans so for a while, during which it is cut. */
async function scans(rig: FaultRig, faults: Parameters<typeof rig.node.suffer>[0], ms: number) {
  rig.node.suffer(faults);
  rig.node.cut();
  await sleep(ms);
  rig.node.suffer({});
  rig.watch.returned();
}

async function refuses(rig: FaultRig, reply: Reply, ms: number): Promise<void> {
  await scans(rig, { instead: () => reply }, ms);
}

/** Every kind of damage for a while, without a cut. */
async function notifies(rig: FaultRig, faults: Parameters<typeof rig.node.suffer>[0], ms: number) {
  rig.node.suffer(faults);
  await sleep(ms);
  rig.node.suffer({});
  rig.watch.returned();
}

/** The first `count` readings of users give this share of them. */
function shrunken(share: number, count: number) {
  let left = count;
  return <T extends { readonly bytes: Buffer | null }>(rows: readonly T[]): readonly T[] => {
    if (rows[0]?.bytes?.length !== USER_BYTES || left === 0) return rows;
    left -= 1;
    return rows.slice(0, Math.floor(rows.length * share));
  };
}

export const SCRIPTED_FAULTS: readonly Fault[] = [
  {
    name: 'the socket is cut five times',
    run: async (rig) => {
      for (let count = 0; count < 5; count += 1) {
        cut(rig);
        await sleep(rig.chain.random.nextBetween(10, 400));
      }
      cut(rig);
    },
  },
  {
    name: 'the node is down for a second and comes back',
    run: async (rig) => {
      await rig.node.stop();
      await sleep(1_000);
      await rig.node.restart();
      rig.watch.returned();
    },
  },
  {
    name: 'the node comes back with another genesis',
    run: async (rig) => {
      await rig.replaceChain(rig.options.seed + 1);
      rig.watch.returned();
    },
  },
  {
    name: 'the socket is half open',
    run: async (rig) => {
      const { upgrades } = rig.node.rpc;
      rig.node.rpc.mute();
      await until(() => rig.node.rpc.upgrades > upgrades);
      rig.watch.returned();
    },
  },
  {
    name: '5 % of the notifications come twice',
    run: (rig) => notifies(rig, { doubled: 0.05 }, 3_000),
  },
  {
    name: '1 % of the notifications is lost',
    options: AUDITED,
    wrongUntilAudit: 'nothing tells of a notification that is lost',
    backMsMax: AUDITED_MS_MAX,
    run: (rig) => notifies(rig, { lost: 0.01 }, 4_000),
  },
  {
    name: 'the last notifications are lost, and nothing is written any more',
    options: AUDITED,
    wrongUntilAudit: 'nothing tells of a notification that is lost',
    backMsMax: AUDITED_MS_MAX,
    run: async (rig) => {
      await sleep(1_000);
      rig.node.suffer({ lost: 1 });
      rig.chain.load(0);
      rig.chain.tick();
      rig.node.suffer({});
      rig.watch.returned();
    },
  },
  {
    name: 'the users are silent for five seconds while slots go on',
    ...PROBED,
    run: (rig) => notifies(rig, { silent: isUser }, 5_000),
  },
  {
    name: 'oracles and markets are silent for five seconds while slots go on',
    ...PROBED,
    run: (rig) => notifies(rig, { silent: (write) => !isUser(write) && !isClock(write) }, 5_000),
  },
  {
    name: 'the users of the first node are silent, and the second takes over',
    ...PROBED,
    options: { ...PROBED.options, nodes: 2 },
    run: async (rig) => {
      rig.node.suffer({ silent: isUser });
      await until('the second node is used', () => rig.nodes[1]?.rpc.upgrades === 1);
      rig.watch.returned();
    },
  },
  {
    name: '10 % of the notifications is lost between two audits',
    ...PROBED,
    run: (rig) => notifies(rig, { lost: 0.1 }, 5_000),
  },
  {
    name: '5 % of the notifications come after the next one of their account',
    options: AUDITED,
    wrongUntilAudit: 'on one socket the order of arrival is the order of the chain',
    backMsMax: AUDITED_MS_MAX,
    run: (rig) => notifies(rig, { swapped: 0.05 }, 4_000),
  },
  {
    name: 'forks of three slots are abandoned, again and again',
    run: async (rig) => {
      let count = 0;
      for (let fork = 0; fork < 4; fork += 1) {
        count += rig.chain.revert(rig.chain.random.nextBetween(1, 3));
        await sleep(500);
      }
      if (count < 50) throw new Error(`accounts that went back were ${count}, must be 50`);
      rig.watch.returned();
    },
  },
  {
    name: 'notifications carry slots that go down and up',
    run: (rig) => notifies(rig, { lowerSlots: 5 }, 2_000),
  },
  {
    name: 'one slot is announced a million ahead',
    run: async (rig) => {
      for (const slotsAhead of [1_000_000, Number.MAX_SAFE_INTEGER - 1_000_000]) {
        rig.node.suffer({ slotsAhead });
        rig.chain.tick();
        rig.node.suffer({});
        await sleep(1_000);
      }
      rig.watch.returned();
    },
  },
  {
    name: 'slots and answers are 1,000 slots ahead for six seconds',
    options: { nodes: 2 },
    run: (rig) => notifies(rig, { slotsAhead: 1_000, answersBehindSlots: -1_000 }, 6_000),
  },
  {
    name: '1 % of the accounts is wrong zstd',
    run: (rig) => notifies(rig, { wrongZstd: 0.01 }, 3_000),
  },
  {
    name: '0.3 % of the messages is cut JSON',
    run: (rig) => notifies(rig, { cutJson: 0.003 }, 3_000),
  },
  {
    name: 'a scan of 30 MB comes in small packets',
    options: { bystanders: 5_000 },
    // The time includes that of the scan itself: some thousand packets of the same process.
    backMsMax: 6_000,
    run: async (rig) => {
      rig.node.suffer({ scanEncoding: 'base64', chunkBytes: 4_096 });
      cut(rig);
    },
  },
  {
    name: '429 with Retry-After for four seconds',
    // The last answer asks for another second.
    backMsMax: 3_000,
    run: (rig) => refuses(rig, { status: 429, headers: { 'retry-after': '1' } }, 4_000),
  },
  {
    name: '503 for two seconds',
    run: (rig) => refuses(rig, { status: 503 }, 2_000),
  },
  {
    name: 'answers break off for two seconds',
    run: (rig) => refuses(rig, { text: '{"jsonrpc":"2.0","result":{"context":{"sl' }, 2_000),
  },
  {
    name: 'the first three scans give a tenth of the users',
    options: { atStart: { scan: shrunken(0.1, 3) } },
    run: async (rig) => rig.watch.returned(),
  },
  {
    name: 'the first three scans give no users',
    options: { atStart: { scan: shrunken(0, 3) } },
    run: async (rig) => rig.watch.returned(),
  },
  {
    name: 'a scan without users, once',
    run: (rig) => scans(rig, { scan: shrunken(0, 1) }, 500),
  },
  {
    name: 'scans without users for three seconds',
    run: (rig) => scans(rig, { scan: shrunken(0, 1_000) }, 3_000),
  },
  {
    name: 'scans with half of the users for three seconds, now these and now fewer',
    run: async (rig) => {
      let share = 0.5;
      const scan: ReturnType<typeof shrunken> = (rows) => {
        share = share === 0.5 ? 0.4 : 0.5;
        return shrunken(share, 1)(rows);
      };
      await scans(rig, { scan }, 3_000);
    },
  },
  {
    name: 'scans without markets, once',
    run: async (rig) => {
      let left = 1;
      await scans(
        rig,
        {
          scan: (rows) => {
            if (rows[0]?.bytes?.length === USER_BYTES || left === 0) return rows;
            left -= 1;
            return [];
          },
        },
        500,
      );
    },
  },
  {
    name: 'subscribes are not answered for three seconds',
    run: async (rig) => {
      await scans(rig, { subscribes: 'silent' }, 3_000);
    },
  },
  {
    name: 'the node lags four slots behind its own socket',
    run: async (rig) => {
      rig.node.suffer({ answersBehindSlots: 4 });
      rig.node.cut();
      await sleep(4_000);
      rig.node.suffer({});
      cut(rig);
    },
  },
  {
    name: 'the socket lags 700 ms behind its own node',
    run: async (rig) => {
      rig.node.suffer({ socketBehindMs: 700 });
      cut(rig);
      await sleep(1_500);
      cut(rig);
    },
    // The 700 ms, and the slot that proves that nothing older is under way.
    backMsMax: 3_000,
  },
  {
    name: 'the first node dies and the second takes over',
    options: { nodes: 2 },
    run: async (rig) => {
      await rig.node.stop();
      rig.watch.returned();
      await sleep(5_000);
      await rig.node.restart();
      await sleep(2_000);
    },
  },
];
