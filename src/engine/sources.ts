/** What a book shows beside orders. */
export interface Sources {
  /** The levels of the market's own automated maker; left out for no. */
  readonly vamm?: boolean | undefined;
  /** Indicative quotes; left out for no. */
  readonly indicative?: boolean | undefined;
}

/** The bits by which the core knows the sources. */
const VAMM = 1;
const INDICATIVE = 2;

/** The sources as the core takes them. */
export function sourcesOf({ vamm, indicative }: Sources): number {
  return (vamm === true ? VAMM : 0) | (indicative === true ? INDICATIVE : 0);
}
