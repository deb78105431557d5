/** A canvas in device pixels. */

/** Width and height in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Sizes and clears a canvas; later drawing is in CSS pixels. */
export function beginDrawing(
  canvas: HTMLCanvasElement,
  { width, height }: Size,
): CanvasRenderingContext2D | null {
  const context = canvas.getContext('2d');
  if (context === null) return null;
  const ratio = window.devicePixelRatio;
  const pixelsWide = Math.round(width * ratio);
  const pixelsHigh = Math.round(height * ratio);
  if (canvas.width !== pixelsWide || canvas.height !== pixelsHigh) {
    canvas.width = pixelsWide;
    canvas.height = pixelsHigh;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
