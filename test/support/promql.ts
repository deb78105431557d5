/**
 * Parses the PromQL of boards and alerts: rejects invalid expressions and returns the selectors of
 * valid ones.
 */

/** A metric in an expression, and the labels that choose among its series. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** One label with the texts that it may have. */
export interface Matcher {
  readonly label: string;
  /** Whether the value is a pattern. */
  readonly isPattern: boolean;
  readonly value: string;
}

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?)|([a-zA-Z_:][\w:]*)|("(?:[^"\\]|\\.)*")|(\[(?:\d+[smhd]|\$__rate_interval)\])|(=~|!~|!=|==|>=|<=|[-+*/<>=(){},]))/y;

const BINARY = new Set([
  ...['+', '-', '*', '/', '==', '!=', '>', '<', '>=', '<='],
  ...['and', 'or', 'unless'],
]);
const AGGREGATIONS = new Set(['sum', 'max', 'min', 'avg', 'count', 'topk']);
const FUNCTIONS = new Set([
  ...['rate', 'increase', 'changes', 'avg_over_time'],
  ...['abs', 'histogram_quantile'],
]);
const OF_RANGES = new Set(['rate', 'increase', 'changes', 'avg_over_time']);

/** The selectors of an expression. Throws an Error that says where it is none. */
export function selectorsIn(expression: string): readonly Selector[] {
  const reader = new ExpressionReader(expression);
  reader.readExpression();
  reader.expectEnd();
  return reader.selectors;
}

class ExpressionReader {
  readonly selectors: Selector[] = [];
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(private readonly text: string) {
    TOKEN.lastIndex = 0;
    const end = text.trimEnd().length;
    while (TOKEN.lastIndex < end) {
      const from = TOKEN.lastIndex;
      const found = TOKEN.exec(text);
      if (found === null) throw new Error(`no token at ${from} of ${text}`);
      this.#tokens.push(found[0].trim());
    }
  }

  readExpression(): void {
    this.#readOperand();
    while (BINARY.has(this.#next())) {
      this.#take();
      if (this.#next() === 'on') {
        this.#take();
        this.#readLabels();
      }
      this.#readOperand();
    }
  }

  expectEnd(): void {
    if (this.#at < this.#tokens.length) this.#fail('an operator');
  }

  #readOperand(): void {
    const token = this.#take();
    if (/^\d/.test(token)) return;
    if (token === '(') {
      this.readExpression();
      this.#expect(')');
    } else if (AGGREGATIONS.has(token)) {
      this.#readAggregation();
    } else if (this.#next() === '(') {
      this.#readCall(token);
    } else if (/^[a-zA-Z_]/.test(token)) {
      this.#readSelector(token);
    } else {
      this.#at -= 1;
      this.#fail('an operand');
    }
  }

  #readAggregation(): void {
    if (this.#next() === 'by') {
      this.#take();
      this.#readLabels();
    }
    this.#readArguments();
  }

  #readCall(name: string): void {
    if (!FUNCTIONS.has(name)) this.#fail(`a known function, not ${name}`);
    const first = this.#at;
    this.#readArguments();
    const isOfRange = this.#tokens.slice(first, this.#at).some((token) => token.startsWith('['));
    if (OF_RANGES.has(name) && !isOfRange) this.#fail(`a range in ${name}`);
  }

  #readArguments(): void {
    this.#expect('(');
    this.readExpression();
    while (this.#next() === ',') {
      this.#take();
      this.readExpression();
    }
    this.#expect(')');
  }

  #readLabels(): void {
    this.#expect('(');
    do this.#take();
    while (this.#next() === ',' && this.#take() === ',');
    this.#expect(')');
  }

  #readSelector(metric: string): void {
    const matchers: Matcher[] = [];
    if (this.#next() === '{') {
      this.#take();
      while (this.#next() !== '}') {
        matchers.push(this.#readMatcher());
        if (this.#next() === ',') this.#take();
      }
      this.#take();
    }
    if (this.#next().startsWith('[')) this.#take();
    this.selectors.push({ metric, matchers });
  }

  #readMatcher(): Matcher {
    const [label, operator, quoted] = [this.#take(), this.#take(), this.#take()];
    if (!['=', '!=', '=~', '!~'].includes(operator)) this.#fail('a comparison of a label');
    if (!quoted.startsWith('"')) this.#fail('a text in quotes');
    return { label, isPattern: operator.endsWith('~'), value: JSON.parse(quoted) };
  }

  #next(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) return this.#fail('more');
    this.#at += 1;
    return token;
  }

  #expect(token: string): void {
    if (this.#take() === token) return;
    this.#at -= 1;
    this.#fail(token);
  }

  #fail(wanted: string): never {
    const rest = this.#tokens.slice(this.#at).join(' ');
    throw new Error(`wanted ${wanted} before "${rest}" in ${this.text}`);
  }
}
