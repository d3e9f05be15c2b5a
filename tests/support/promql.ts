/**
 * Evaluates the part of PromQL that the alert rules in `infra/deploy` use (decision 0125). Everything else is an error,
 * so that a rule is never tested with a wrong meaning:
 * - selectors with `=`, `!=`, `=~` and `!~`, and with a range,
 * - `rate`, `increase` and `absent`,
 * - `sum`, `min`, `max` and `count`, with `by` in front,
 * - `+ - * /`, comparisons without `bool`, `and`, `unless` and `or`, without `on`, `ignoring` and groups,
 * - numbers and parentheses.
 */

export type Labels = Readonly<Record<string, string>>;

/** A value of a series. A null value means that the series has ended (the staleness marker of Prometheus). */
export interface Sample {
  readonly at_s: number;
  readonly value: number | null;
}

export interface Series {
  readonly name: string;
  readonly labels: Labels;
  /** In the order of their time. */
  readonly samples: readonly Sample[];
}

/** A value of the result of an expression. The name of the metric is in `name`, or is empty. */
export interface Value {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** The result of an expression: a number, or the values of several series. */
export type Result = number | readonly Value[];

/** The time for which a sample is valid if no later one follows. */
const LOOKBACK_s = 300;

/** Evaluates an expression at a time. Throws if the expression is not in the supported part of PromQL. */
export function evaluate(expression: string, series: readonly Series[], at_s: number): Result {
  return evaluateNode(parse(expression), series, at_s);
}

/** Returns the names of the metrics that an expression reads. */
export function metricsIn(expression: string): readonly string[] {
  const names = (node: Node): readonly string[] => {
    switch (node.kind) {
      case 'number':
        return [];
      case 'selector':
        return [node.name];
      case 'call':
      case 'aggregation':
        return names(node.of);
      case 'binary':
        return [...names(node.left), ...names(node.right)];
    }
  };
  return [...new Set(names(parse(expression)))];
}

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

type Node =
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'selector';
      readonly name: string;
      readonly matchers: readonly Matcher[];
      /** Null if the selector has no range. */
      readonly range_s: number | null;
    }
  | { readonly kind: 'call'; readonly name: string; readonly of: Node }
  | { readonly kind: 'aggregation'; readonly name: string; readonly by: readonly string[]; readonly of: Node }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node };

const FUNCTIONS = new Set(['rate', 'increase', 'absent']);
const AGGREGATIONS = new Set(['sum', 'min', 'max', 'count']);
/** The binary operators by precedence, the weakest first. */
const PRECEDENCE: readonly (readonly string[])[] = [
  ['or'],
  ['and', 'unless'],
  ['==', '!=', '<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/'],
];
/** Matches a number, a duration, a name, a text, or an operator. */
const TOKEN = new RegExp(
  String.raw`\s*(?:\d+(?:\.\d+)?(?![\w.])|\d+[smhd](?!\w)|[a-zA-Z_]\w*|"(?:[^"\\]|\\.)*"|` +
    String.raw`==|!=|=~|!~|<=|>=|[-+*/(){}[\],<>=])`,
  'uy',
);
const UNIT_s: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Returns the duration of a text such as `5m` in seconds. Throws if the text is no duration with one unit. */
export function parseDuration_s(text: string): number {
  const [, digits, unit = ''] = /^(\d+)([smhd])$/u.exec(text) ?? [];
  if (digits === undefined) throw new Error(`${text} is not a supported duration`);
  return Number(digits) * (UNIT_s[unit] ?? 0);
}

function tokensOf(expression: string): readonly string[] {
  const tokens: string[] = [];
  const text = expression.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`Not supported in PromQL here: ${text.slice(start)}`);
    tokens.push(match[0].trim());
  }
  return tokens;
}

function parse(expression: string): Node {
  const tokens = tokensOf(expression);
  let next = 0;
  const peek = () => tokens[next] ?? '';
  const take = (expected?: string): string => {
    const token = tokens[next];
    if (token === undefined || (expected !== undefined && token !== expected))
      throw new Error(`Not supported in PromQL here: "${token ?? 'the end'}" instead of "${expected ?? 'a value'}"`);
    next += 1;
    return token;
  };

  function parseBinary(level: number): Node {
    const operators = PRECEDENCE[level];
    if (!operators) return parseValue();
    let left = parseBinary(level + 1);
    while (operators.includes(peek())) {
      const operator = take();
      if (['bool', 'on', 'ignoring', 'group_left', 'group_right'].includes(peek()))
        throw new Error(`Not supported in PromQL here: ${peek()}`);
      left = { kind: 'binary', operator, left, right: parseBinary(level + 1) };
    }
    return left;
  }

  function parseValue(): Node {
    const token = take();
    if (token === '(') {
      const inner = parseBinary(0);
      take(')');
      return inner;
    }
    if (/^\d/u.test(token)) {
      if (!/^[\d.]+$/u.test(token)) throw new Error(`Not supported in PromQL here: ${token}`);
      return { kind: 'number', value: Number(token) };
    }
    if (!/^[a-zA-Z_]/u.test(token)) throw new Error(`Not supported in PromQL here: ${token}`);
    if (AGGREGATIONS.has(token)) return parseAggregation(token);
    if (peek() === '(') {
      if (!FUNCTIONS.has(token)) throw new Error(`Not supported in PromQL here: ${token}()`);
      take('(');
      const of = parseBinary(0);
      take(')');
      return { kind: 'call', name: token, of };
    }
    return parseSelector(token);
  }

  function parseAggregation(name: string): Node {
    const by: string[] = [];
    if (peek() === 'by') {
      take('by');
      take('(');
      while (peek() !== ')') {
        by.push(take());
        if (peek() !== ')') take(',');
      }
      take(')');
    }
    take('(');
    const of = parseBinary(0);
    take(')');
    if (['by', 'without'].includes(peek())) throw new Error(`Not supported in PromQL here: ${peek()} at the end`);
    return { kind: 'aggregation', name, by, of };
  }

  function parseSelector(name: string): Node {
    const matchers: Matcher[] = [];
    if (peek() === '{') {
      take('{');
      while (peek() !== '}') {
        const label = take();
        const operator = take();
        if (!['=', '!=', '=~', '!~'].includes(operator)) throw new Error(`Not supported in PromQL here: ${operator}`);
        matchers.push({ label, operator, value: JSON.parse(take()) as string });
        if (peek() !== '}') take(',');
      }
      take('}');
    }
    let range_s: number | null = null;
    if (peek() === '[') {
      take('[');
      range_s = parseDuration_s(take());
      take(']');
    }
    if (['offset', '@'].includes(peek())) throw new Error(`Not supported in PromQL here: ${peek()}`);
    return { kind: 'selector', name, matchers, range_s };
  }

  const root = parseBinary(0);
  if (next < tokens.length) throw new Error(`Not supported in PromQL here: ${tokens.slice(next).join(' ')}`);
  return root;
}

function evaluateNode(node: Node, series: readonly Series[], at_s: number): Result {
  switch (node.kind) {
    case 'number':
      return node.value;
    case 'selector':
      if (node.range_s !== null) throw new Error(`${node.name} has a range, but no function`);
      return selectNow(node, series, at_s);
    case 'call':
      return call(node, series, at_s);
    case 'aggregation':
      return aggregate(node, vectorOf(evaluateNode(node.of, series, at_s)));
    case 'binary':
      return combine(node.operator, evaluateNode(node.left, series, at_s), evaluateNode(node.right, series, at_s));
  }
}

type Selector = Extract<Node, { kind: 'selector' }>;

function matches(labels: Labels, { label, operator, value }: Matcher): boolean {
  const actual = labels[label] ?? '';
  const isEqual = operator.includes('~') ? new RegExp(`^(?:${value})$`, 'u').test(actual) : actual === value;
  return operator.startsWith('!') ? !isEqual : isEqual;
}

const select = ({ name, matchers }: Selector, series: readonly Series[]) =>
  series.filter((each) => each.name === name && matchers.every((matcher) => matches(each.labels, matcher)));

function selectNow(selector: Selector, series: readonly Series[], at_s: number): readonly Value[] {
  return select(selector, series).flatMap(({ name, labels, samples }) => {
    const last = samples.findLast((sample) => sample.at_s <= at_s);
    return last && last.value !== null && last.at_s > at_s - LOOKBACK_s ? [{ name, labels, value: last.value }] : [];
  });
}

function call({ name, of }: Extract<Node, { kind: 'call' }>, series: readonly Series[], at_s: number): Result {
  if (name === 'absent') {
    if (vectorOf(evaluateNode(of, series, at_s)).length > 0) return [];
    // The result has the labels that the selector requires, if its argument is a selector.
    const equal = of.kind === 'selector' ? of.matchers.filter(({ operator }) => operator === '=') : [];
    return [{ name: '', labels: Object.fromEntries(equal.map(({ label, value }) => [label, value])), value: 1 }];
  }
  if (of.kind !== 'selector' || of.range_s === null) throw new Error(`${name} needs a selector with a range`);
  const range_s = of.range_s;
  return select(of, series).flatMap(({ labels, samples }) => {
    const inRange = samples.filter((sample) => sample.at_s > at_s - range_s && sample.at_s <= at_s);
    const increase = extrapolatedIncrease(inRange, at_s - range_s, at_s);
    return increase === null ? [] : [{ name: '', labels, value: name === 'rate' ? increase / range_s : increase }];
  });
}

/**
 * Returns the increase of a counter in a range as Prometheus computes it: a lower value is a restart from 0, and the
 * increase between the first and the last sample is extended to the ends of the range. Returns null with fewer than two
 * samples.
 */
function extrapolatedIncrease(all: readonly Sample[], start_s: number, end_s: number): number | null {
  const samples = all.flatMap(({ at_s, value }) => (value === null ? [] : [{ at_s, value }]));
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last || samples.length < 2) return null;
  let increase = last.value - first.value;
  for (const [index, { value }] of samples.entries()) {
    const before = samples[index - 1]?.value ?? 0;
    if (index > 0 && value < before) increase += before;
  }
  const covered_s = last.at_s - first.at_s;
  const interval_s = covered_s / (samples.length - 1);
  let before_s = first.at_s - start_s;
  let after_s = end_s - last.at_s;
  // With a larger gap, the series probably began or ended in the range.
  const limit_s = interval_s * 1.1;
  if (before_s >= limit_s) before_s = interval_s / 2;
  // A counter is never extended below 0.
  if (increase > 0 && first.value >= 0) before_s = Math.min(before_s, covered_s * (first.value / increase));
  if (after_s >= limit_s) after_s = interval_s / 2;
  return increase * ((covered_s + before_s + after_s) / covered_s);
}

const vectorOf = (result: Result): readonly Value[] => {
  if (typeof result === 'number') throw new Error('A number is not supported in PromQL here');
  return result;
};

const keyOf = (labels: Labels) =>
  JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));

function aggregate({ name, by }: Extract<Node, { kind: 'aggregation' }>, values: readonly Value[]): readonly Value[] {
  const groups = new Map<string, { readonly labels: Labels; readonly values: number[] }>();
  for (const { labels, value } of values) {
    const grouped = Object.fromEntries(by.flatMap((label) => (labels[label] ? [[label, labels[label]]] : [])));
    const group = groups.get(keyOf(grouped)) ?? { labels: grouped, values: [] };
    groups.set(keyOf(grouped), group);
    group.values.push(value);
  }
  const compute = (numbers: readonly number[]) => {
    if (name === 'count') return numbers.length;
    if (name === 'sum') return numbers.reduce((sum, value) => sum + value, 0);
    return name === 'min' ? Math.min(...numbers) : Math.max(...numbers);
  };
  return [...groups.values()].map((group) => ({ name: '', labels: group.labels, value: compute(group.values) }));
}

const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};
const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
};

function combine(operator: string, left: Result, right: Result): Result {
  if (['and', 'or', 'unless'].includes(operator)) return combineSets(operator, vectorOf(left), vectorOf(right));
  const compute = ARITHMETIC[operator];
  const compare = COMPARISONS[operator];
  if (typeof left === 'number' && typeof right === 'number') {
    if (!compute) throw new Error('A comparison of two numbers is not supported in PromQL here');
    return compute(left, right);
  }
  // The values whose comparison is true remain as they are. A comparison with a number on the left side returns the
  // values of the right side.
  return pairsOf(left, right).flatMap(({ result, one, other }) => {
    if (compute) return [{ name: '', labels: result.labels, value: compute(one, other) }];
    return compare?.(one, other) === true ? [result] : [];
  });
}

interface Pair {
  readonly result: Value;
  readonly one: number;
  readonly other: number;
}

/** Returns the pairs of values with equal labels. A number belongs to every value. */
function pairsOf(left: Result, right: Result): readonly Pair[] {
  if (typeof right === 'number') return vectorOf(left).map((result) => ({ result, one: result.value, other: right }));
  if (typeof left === 'number') return right.map((result) => ({ result, one: left, other: result.value }));
  const others = new Map(right.map((value) => [keyOf(value.labels), value]));
  if (others.size < right.length || new Set(left.map(({ labels }) => keyOf(labels))).size < left.length)
    throw new Error('Several values have the same labels');
  return left.flatMap((result) => {
    const other = others.get(keyOf(result.labels));
    return other ? [{ result, one: result.value, other: other.value }] : [];
  });
}

function combineSets(operator: string, left: readonly Value[], right: readonly Value[]): readonly Value[] {
  const keys = (values: readonly Value[]) => new Set(values.map(({ labels }) => keyOf(labels)));
  if (operator === 'or') {
    const known = keys(left);
    return [...left, ...right.filter(({ labels }) => !known.has(keyOf(labels)))];
  }
  const known = keys(right);
  return left.filter(({ labels }) => known.has(keyOf(labels)) === (operator === 'and'));
}
