import { isPublicKey } from '../../config/public-key.js';
import { StoreError } from '../store/error.js';
import { HistoryStore } from '../store/store.js';
import { ANY_CHAIN, type StoreOptions } from '../store/types.js';
import { PostgresConnection, type PostgresPlace } from './postgres-connection.js';

/** Options of a store in Postgres; for {@link ANY_CHAIN} a reading store accepts any chain. */
type PostgresStoreOptions = Omit<StoreOptions, 'folder' | 'onUpgrade' | 'role'> & {
  readonly place: PostgresPlace;
};

/** Opens the store of a chain in a database, creating or migrating its tables. Throws a StoreError. */
export function openPostgresStore({ place, ...options }: PostgresStoreOptions): HistoryStore {
  const connection = new PostgresConnection(place);
  try {
    const { genesisHash } = options;
    if (place.role === 'write') refuseOtherChain(connection, genesisHash);
    else if (genesisHash !== ANY_CHAIN) requireChain(connection, genesisHash);
    return new HistoryStore(connection, { ...options, role: place.role });
  } catch (error) {
    connection.close();
    throw connection.toStoreError(error);
  }
}

/** The database belongs to one chain, set by the first writer. */
export function refuseOtherChain(connection: PostgresConnection, genesisHash: string): void {
  const text = `insert into meta (name, value) values ('genesis_hash', ?) on conflict do nothing`;
  connection.changeRows(text, [genesisHash]);
  requireChain(connection, genesisHash);
}

function requireChain(connection: PostgresConnection, genesisHash: string): void {
  const [stored] = connection.readRow("select value from meta where name = 'genesis_hash'") ?? [];
  if (stored === genesisHash) return;
  const other = isPublicKey(String(stored)) ? `the chain ${String(stored)}` : 'no chain';
  const text = `the database is of ${other}, not of ${genesisHash}: ${connection.file}`;
  throw new StoreError('foreign', text);
}
