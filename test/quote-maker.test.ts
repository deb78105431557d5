/** The demo's maker of indicative quotes, as a stranger to the service. */
import { expect, test, vi } from 'vitest';
import { QuoteMaker } from '../src/sim/demo/quote-maker.js';
import { QuoteScene } from './support/quote-scene.js';

test('the demo has indicative quotes on both sides while its maker quotes, and none after', async () => {
  const maker = new QuoteMaker(1);
  const scene = await QuoteScene.start([maker.publicKey]);
  try {
    maker.start(scene.url);
    const sizes = async (): Promise<number[]> => {
      const { bids, asks } = await scene.quoted();
      return [bids.length, asks.length];
    };
    await vi.waitFor(async () => expect(Math.min(...(await sizes()))).toBe(3));
    maker.stop();
    await vi.waitFor(async () => expect(await sizes()).toEqual([0, 0]));
  } finally {
    maker.stop();
    await scene.stop();
  }
});

test('a maker that is cut comes back, and the same seed is the same maker', async () => {
  const maker = new QuoteMaker(2);
  const other = new QuoteMaker(2);
  expect(other.publicKey).toBe(maker.publicKey);
  expect(new QuoteMaker(3).publicKey).not.toBe(maker.publicKey);
  const scene = await QuoteScene.start([maker.publicKey]);
  const shown = async (): Promise<number> => (await scene.quoted()).bids.length;
  try {
    other.start(scene.url);
    await vi.waitFor(async () => expect(await shown()).toBe(3));
    // It takes the place of the one before, who comes back when it is gone.
    maker.start(scene.url);
    await expect.poll(() => scene.replaced).toBe(1);
    maker.stop();
    await vi.waitFor(async () => expect(await shown()).toBe(0));
    await vi.waitFor(async () => expect(await shown()).toBe(3));
  } finally {
    maker.stop();
    other.stop();
    await scene.stop();
  }
});
