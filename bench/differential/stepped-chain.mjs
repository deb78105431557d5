/**
 * The demo's chain, relay and market life, made of the same parts, that moves only on command
 * to: between two steps the chain has new slots and no new account.
 */

import { LocalChain } from '../../dist/src/sim/chain/chain-process.js';
import { AccountWriter } from '../../dist/src/sim/demo/account-writer.js';
import { MarketSimulator } from '../../dist/src/sim/market/market-simulator.js';
import { Relay } from '../../dist/src/sim/relay/relay.js';
import { oddMakerWrite } from './odd-maker.mjs';

export class SteppedChain {
  #chain;
  #relay;
  #market;
  #writer;

  /** Starts a chain and writes the first state of everything into it. */
  static async start({ seed, makers, slotTimeMs }) {
    const self = new SteppedChain();
    self.#market = new MarketSimulator({ seed, makers });
    self.#chain = await LocalChain.start({ slotTimeMs });
    self.#relay = await Relay.start(self.#chain);
    self.#writer = new AccountWriter(self.#chain.rpcUrl);
    self.#chain.onSlot(({ slot }) => self.#relay.noteSlot(slot));
    await new Promise((resolve) => self.#chain.onSlot(resolve));
    await self.#write(self.#market.createGenesis(self.#chain.clock));
    return self;
  }

  get rpcUrl() {
    return this.#relay.rpcUrl;
  }

  get wsUrl() {
    return this.#relay.wsUrl;
  }

  /** The chain's own second. */
  get unixSeconds() {
    return this.#chain.clock.unixSeconds;
  }

  /** Keys of the oracles of all markets. */
  get oracles() {
    return [...new Set(this.#market.markets.map((market) => market.feed.pubkey))];
  }

  /** Writes makers with one order of each seldom kind, one maker a market, around the price. */
  async writeOddMakers(orderIdFirst) {
    const { slot } = this.#chain.clock;
    await this.#write(
      this.#market.markets.map((market) => oddMakerWrite({ market, slot, orderIdFirst })),
    );
  }

  /** Continues the scenario for at least this many account writes, and waits until they are written. */
  async step(writes) {
    for (let written = 0; written < writes; ) {
      const accounts = this.#market.nextWrites(this.#chain.clock);
      await this.#write(accounts);
      written += accounts.length;
    }
  }

  async stop() {
    this.#writer.close();
    await this.#relay.stop();
    await this.#chain.stop();
  }

  async #write(accounts) {
    for (const account of accounts) await this.#writer.writeAccount(account);
    await this.#writer.flush();
  }
}
