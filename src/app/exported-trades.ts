/** Finds the trades for `slotbook export`: the history's file and the market. */
import { ConfigError } from '../config/config-error.js';
import type { MarketInfo } from '../contract/markets.js';
import { EngineError } from '../engine/errors.js';
import { type ExportedTrades, storedChains } from '../history/export-trades.js';
import { JournalPlayer } from '../journal/store/journal-player.js';
import { readSegments } from '../journal/store/segment-index.js';
import { journalFolder } from './journal-origin.js';

/** Number of turns that are read between two searches for the market. */
const TURNS_AT_ONCE = 100;

/**
 * Finds the trades of a market. The journal in the data folder contains the name of the market;
 * without a journal the name must be a key such as `perp_0`. Throws a ConfigError.
 */
export function findTrades(
  dataDir: string,
  name: string,
): Pick<ExportedTrades, 'dataDir' | 'genesisHash' | 'market'> {
  const [genesisHash, ...others] = storedChains(dataDir);
  if (genesisHash === undefined || others.length > 0) {
    const rule = 'must be the data folder of a service, with the history of one chain';
    throw new ConfigError('INVALID_SETTING', `FOLDER was ${dataDir}, ${rule}`, 'FOLDER');
  }
  const market = perpByIndex(name) ?? marketOfJournal(journalFolder(dataDir), name);
  if (market !== undefined) return { dataDir, genesisHash, market };
  const rule = 'must be a market of the journal, or perp_0 and the like';
  throw new ConfigError('INVALID_SETTING', `--market was ${name}, ${rule}`, '--market');
}

function perpByIndex(name: string): ExportedTrades['market'] | undefined {
  const index = /^PERP_(\d{1,5})$/.exec(name)?.[1];
  if (index === undefined) return undefined;
  return { marketType: 'perp', marketIndex: Number(index), decimals: 9 };
}

/** The market of a name: that of the newest file which can be read and has it. */
export function marketOfJournal(folder: string, name: string): MarketInfo | undefined {
  for (const segment of readSegments(folder, null).segments.toReversed()) {
    const market = marketOfSegment({ folder, segment }, name);
    if (market !== undefined) return market;
  }
  return undefined;
}

function marketOfSegment(
  place: ConstructorParameters<typeof JournalPlayer>[0],
  name: string,
): MarketInfo | undefined {
  const player = new JournalPlayer(place);
  try {
    for (;;) {
      const played = player.at({ turnsMax: TURNS_AT_ONCE });
      const market = player.engine.findMarket(name);
      if (market !== undefined || played === 'end') return market;
    }
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  } finally {
    player.close();
  }
}
