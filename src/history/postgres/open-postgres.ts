import { claimStore, requireOwner } from '../store/owner.js';
import { HistoryStore } from '../store/store.js';
import { ANY_CHAIN, type StoreOptions } from '../store/types.js';
import { PostgresConnection, type PostgresPlace } from './postgres-connection.js';

/** Options of a store in Postgres; for {@link ANY_CHAIN} a reading store accepts any chain. */
type PostgresStoreOptions = Omit<StoreOptions, 'folder'> & {
  readonly place: PostgresPlace;
};

/** Opens the store of a chain in a database, creating its tables. Throws a StoreError. */
export function openPostgresStore({ place, ...options }: PostgresStoreOptions): HistoryStore {
  const connection = new PostgresConnection(place);
  try {
    const { genesisHash } = options;
    if (place.role === 'write') claimStore(connection, options);
    else if (genesisHash !== ANY_CHAIN) requireOwner(connection, options);
    return new HistoryStore(connection, options);
  } catch (error) {
    connection.close();
    throw connection.toStoreError(error);
  }
}
