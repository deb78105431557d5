/** Renders stored records: the core writes their text. */
import { type RecordRendering, renderLogged } from '../../engine/events.js';
import type { HistoryMarket, RecordRow } from '../model/records.js';
import { marketCode } from './columns.js';

/** The formats of records. */
export type RecordForm = RecordRendering['form'];

/** Returns JSON objects separated by commas, or CSV; `user` is added to each object. */
export function renderRows(
  rows: readonly RecordRow[],
  form: RecordForm,
  { markets, user }: { readonly markets: readonly HistoryMarket[]; readonly user?: string },
): Buffer {
  const named = markets.map(({ key, symbol, decimals }) => {
    return { code: marketCode(key), symbol, decimals };
  });
  return renderLogged(rows, { program: rows[0]?.program ?? 'drift', form, markets: named, user });
}
