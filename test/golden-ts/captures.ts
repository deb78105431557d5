/** Captured oracles and signed orders that a manifest names, read by the client library. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ORACLE_SOURCE } from '../../src/client/accounts/generated/enums.js';
import { decodeSignedOrder, readOracle } from '../../src/client/chain/index.js';
import { Cases, type Family, type GoldenFile } from './family.js';

/** An entry as far as it is read here; others are accounts and logs, which the core runs. */
interface Capture {
  readonly file: string;
  readonly type: string;
  /** The program's name of it. */
  readonly oracleSource?: string;
  /** The program's price, perhaps `conf` and its confidence, then free text. */
  readonly expectedProgramPrice?: string;
  readonly expectedProgram?: Readonly<Record<string, number>>;
  readonly assertedByTests?: readonly string[];
  readonly sdkDecode?: Readonly<Record<string, unknown>>;
}

export const captureFamily: Family = {
  name: 'captures',
  matches: ({ json }) => Array.isArray(json) && Object.hasOwn(Object(json[0]), 'provenance'),
  run: ({ json, path: manifest }: GoldenFile) => {
    const cases = new Cases();
    const ran: string[] = [];
    for (const capture of json as readonly Capture[]) {
      const read = () => readFileSync(path.join(path.dirname(manifest), capture.file), 'utf8');
      if (capture.oracleSource !== undefined) {
        runOracle(cases, capture, new Uint8Array(Buffer.from(read(), 'base64')));
      } else if (/^SignedMsgOrder/.test(capture.type)) {
        runSignedOrder(cases, capture, read().trim());
      } else continue;
      ran.push(capture.file);
    }
    return { ...cases.report(), covers: ran };
  },
};

/** The program's word counts; where only the SDK's is recorded, it is the same there. */
function runOracle(cases: Cases, capture: Capture, bytes: Uint8Array): void {
  const { file, expectedProgramPrice, expectedProgram, assertedByTests = [], sdkDecode } = capture;
  const reading = readOracle(sourceOf(capture.oracleSource ?? ''), bytes);
  const expect = (what: string, ours: bigint, recorded: string | number): void =>
    cases.same(`${file} ${what}`, { ours, recorded: BigInt(recorded) });
  const [, price, , confidence] = /^(\d+)( conf (\d+))?/.exec(expectedProgramPrice ?? '') ?? [];
  if (price !== undefined) expect('price', reading.price, price);
  if (confidence !== undefined) expect('confidence', reading.confidence, confidence);
  for (const [name, value] of Object.entries(expectedProgram ?? {})) {
    if (name.startsWith('price')) expect('price', reading.price, value);
    if (name === 'conf') expect('confidence', reading.confidence, value);
    if (name === 'valid_slot') expect('slot', reading.slot, value);
  }
  const asserted = assertedByTests.map((text) => {
    return /^get_oracle_price\((slot \d+|\w+)\)\.price == (\d+)/.exec(text) ?? [];
  });
  for (const [, readAs = '', value] of asserted) {
    if (value === undefined) continue;
    const source = readAs.startsWith('slot') ? capture.oracleSource : readAs;
    const { price: ours } = readOracle(sourceOf(source ?? ''), bytes);
    expect(`price as ${readAs}`, ours, value);
  }
  const isSdkOnly = price === undefined && !expectedProgram && assertedByTests.length === 0;
  for (const name of isSdkOnly ? (['price', 'confidence', 'slot'] as const) : []) {
    if (sdkDecode !== undefined) expect(`sdk ${name}`, reading[name], String(sdkDecode[name]));
  }
  cases.passed();
}

/** `PythLazer1M` is `pythLazer1M`. */
function sourceOf(name: string) {
  const source = ORACLE_SOURCE.find((known) => known.toLowerCase() === name.toLowerCase());
  if (source === undefined) throw new Error(`oracle source ${name} is unknown`);
  return source;
}

function runSignedOrder(cases: Cases, { file, assertedByTests = [] }: Capture, hex: string): void {
  const { params, uuid } = decodeSignedOrder(hex);
  for (const text of assertedByTests) {
    const [, index] = /market_index (\d+)/.exec(text) ?? [];
    const [, id] = /uuid (\S+)/.exec(text) ?? [];
    if (index !== undefined) {
      cases.same(`${file} market`, { ours: params.marketIndex, recorded: Number(index) });
    }
    if (id !== undefined) cases.same(`${file} uuid`, { ours: uuid, recorded: id });
  }
  cases.passed();
}
