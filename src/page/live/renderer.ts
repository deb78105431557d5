/** The page's renderer: a graphics processor, or software. */
import { shortRenderer } from '../model/format.js';
import { RENDERER_WAIT_MS_MAX } from '../model/limits.js';

/**
 * Calls back with the renderer's name when the browser is idle, because detection takes tens of
 * milliseconds.
 */
export function askRenderer(onName: (name: string) => void): void {
  const ask = (): void => onName(readRenderer());
  if ('requestIdleCallback' in window) requestIdleCallback(ask, { timeout: RENDERER_WAIT_MS_MAX });
  else setTimeout(ask, RENDERER_WAIT_MS_MAX);
}

/** Returns the WebGL renderer; `unknown` when there is none or the browser hides it. */
function readRenderer(): string {
  const context = document.createElement('canvas').getContext('webgl');
  if (context === null) return 'unknown';
  const extension = context.getExtension('WEBGL_debug_renderer_info');
  const name = context.getParameter(extension?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return shortRenderer(String(name));
}
