import { isPublicKey } from '../../config/public-key.js';
import { StoreError } from '../store/error.js';
import { HistoryStore } from '../store/store.js';
import { ANY_CHAIN, type StoreOptions } from '../store/types.js';
import { PostgresConnection, type PostgresPlace } from './postgres-connection.js';

/** How a store in Postgres is opened; for {@link ANY_CHAIN} one that only reads takes the chain that it finds. */
export type PostgresStoreOptions = Omit<StoreOptions, 'folder' | 'onUpgrade' | 'role'> & {
  readonly place: PostgresPlace;
};

/** Opens the store of a chain in a database, making or migrating its tables. Throws a StoreError. */
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

/** The database is that of one chain, which the first writer names. */
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
