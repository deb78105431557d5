/** The book read from the chain. */
export interface ChainBook {
  /** Returns the reason why the book is not live; null when it is. */
  notLive(): string | null;
  symbols(): readonly string[];
  l2(symbol: string, depth: number): string;
  l3(symbol: string): string;
}
