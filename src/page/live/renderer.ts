/** What draws the page: a graphics processor, or a program in its place. */
import { shortRenderer } from '../model/format.js';

/** Its name, as WebGL has it; `unknown` where there is none or the browser does not say. */
export function readRenderer(): string {
  const context = document.createElement('canvas').getContext('webgl');
  if (context === null) return 'unknown';
  const extension = context.getExtension('WEBGL_debug_renderer_info');
  const name = context.getParameter(extension?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return shortRenderer(String(name));
}
