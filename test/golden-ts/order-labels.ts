/** What the reference library calls orders (`order_labels.json`), put to the client's labels. */
import {
  type LabelledOrder,
  orderLabel,
  uiOrderType,
} from '../../src/client/accounts/order-labels.js';
import { Cases, type Family, type FamilyReport, type GoldenFile } from './family.js';

interface LabelRow extends LabelledOrder {
  readonly label: string;
  readonly uiOrderType: string;
}

export const orderLabelFamily: Family = {
  name: 'order_labels',
  matches: ({ json }) => rowsOf(json).length > 0,
  run,
};

function rowsOf(json: unknown): readonly LabelRow[] {
  if (typeof json !== 'object' || json === null || !('rows' in json)) return [];
  const { rows } = json;
  return Array.isArray(rows) ? rows.filter((row) => typeof row?.uiOrderType === 'string') : [];
}

function run({ json }: GoldenFile): FamilyReport {
  const cases = new Cases();
  for (const row of rowsOf(json)) {
    const { orderType, triggerCondition, direction, oraclePriceOffset } = row;
    const name = `${orderType} ${triggerCondition} ${direction} ${oraclePriceOffset}`;
    cases.same(name, { ours: orderLabel(row), recorded: row.label });
    cases.same(`${name} type`, { ours: uiOrderType(row), recorded: row.uiOrderType });
  }
  return cases.report();
}
