import { onTestFinished } from 'vitest';
import { type World, type WorldOptions, world } from '../world/world.js';

/** A world that stops with its test. */
export async function testWorld(options: WorldOptions = {}): Promise<World> {
  const scene = await world(options);
  onTestFinished(() => scene.stop());
  return scene;
}
