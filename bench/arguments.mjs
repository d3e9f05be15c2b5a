// @ts-check
/** Reads the arguments of the benchmarks, before anything is installed, built or measured. */
import { parseArgs } from 'node:util';

/** The parts of `npm run bench`. */
export const PARTS = /** @type {const} */ ([
  ...['memory', 'lists', 'store', 'bumps', 'event-store', 'peer-stores', 'pages', 'live', 'projecting', 'start'],
  ...['large-start', 'rebuild', 'flood', 'replicas', 'log-growth', 'growth', 'scale', 'search', 'pictures', 'tracing'],
  ...['cluster-costs', 'browser'],
]);
/** The parts of `npm run bench:cluster`. */
export const CLUSTER_PARTS = /** @type {const} */ (['latency', 'idle', 'relay', 'costs', 'photos', 'live', 'jobs']);

/**
 * @typedef {object} Benchmark
 * @property {string} usage
 * @property {Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>} [options]
 * @property {(others: readonly string[]) => string | null} [findError]   returns the error in the arguments that are no
 * options, or null. By default, there must be none of them
 * @property {(parts: readonly string[], options: Readonly<Record<string, unknown>>) => boolean} [opensPages]   whether
 * it needs Chromium, by default false
 */

/**
 * The arguments of one benchmark.
 * @typedef {object} BenchArguments
 * @property {readonly string[]} others   the arguments that are no options, e.g. the requested parts
 * @property {{ readonly short?: boolean, readonly json?: string, readonly quick?: boolean, readonly before?: string }}
 * options   those that were given
 */

/** @param {readonly string[]} others */
const findAny = (others) => (others.length > 0 ? `Unknown argument: ${others.join(' ')}` : null);

/**
 * @param {readonly string[]} names
 * @param {readonly string[]} parts
 */
function findUnknownParts(names, parts) {
  const unknown = names.filter((name) => !parts.includes(name));
  return unknown.length > 0 ? `Unknown part: ${unknown.join(', ')}` : null;
}

/**
 * @param {readonly string[]} counts
 * @param {number} [most]  the maximum number of counts
 */
function findInvalidCount(counts, most = Infinity) {
  const invalid = counts.find((text, index) => index >= most || !/^[1-9]\d{0,8}$/u.test(text));
  return invalid === undefined ? null : `Unknown argument: ${invalid}`;
}

/**
 * Returns the names of parts in lines for a usage text.
 * @param {readonly string[]} parts
 */
const listOf = (parts) => parts.join(', ').replaceAll(/(.{70,}?), /gu, '$1,\n                 ');

/** The benchmark of `npm run bench`. @type {Benchmark} */
const MAIN = {
  usage: `Usage: npm run bench -- [--short] [--json <file>] [<part>...]
  --short        only the parts that take about five minutes together
  --json <file>  also writes the table to this file
  <part>         only these parts, of ${listOf(PARTS)}
Other benchmarks: npm run bench:cluster, bench:erasures, bench:mails, bench:peers and bench:web.
Explanations: bench/README.md`,
  options: { short: { type: 'boolean' }, json: { type: 'string' } },
  findError: (others) => findUnknownParts(others, PARTS),
  // The part `browser` runs by default.
  opensPages: (parts, { short }) => (parts.length > 0 ? parts.includes('browser') : short !== true),
};

/** The other benchmarks, by the first argument of run.mjs. @type {Readonly<Record<string, Benchmark>>} */
const OTHERS = {
  cluster: {
    usage: `Usage: npm run bench:cluster -- [--quick] [<part>...]
  --quick        only tests the benchmark, with sizes that are too small for figures
  <part>         only these parts, of ${listOf(CLUSTER_PARTS)}`,
    options: { quick: { type: 'boolean' } },
    findError: (others) => findUnknownParts(others, CLUSTER_PARTS),
  },
  erasures: {
    usage: 'Usage: npm run bench:erasures -- [<number of ads>...]',
    findError: (others) => findInvalidCount(others),
  },
  mails: {
    usage: 'Usage: npm run bench:mails -- [<number of followers>]',
    findError: (others) => findInvalidCount(others, 1),
  },
  peers: { usage: 'Usage: npm run bench:peers' },
  web: {
    usage: `Usage: npm run bench:web -- [--before <commit>]
  --before <commit>  compares this checkout with an earlier commit of its history`,
    options: { before: { type: 'string' } },
    opensPages: () => true,
  },
};

/**
 * Reads the arguments of run.mjs. Returns the name of the benchmark, which is `main` for `npm run bench`, and its own
 * arguments. Returns its usage instead, with an error, if the arguments are wrong, and without one for `--help`.
 * @param {readonly string[]} all
 * @returns {{ name: string, args: BenchArguments, opensPages: boolean } | { usage: string, error: string | null }}
 */
export function readArguments(all) {
  const [first = '', ...rest] = all;
  const other = Object.hasOwn(OTHERS, first) ? OTHERS[first] : undefined;
  const [name, args] = other ? [first, rest] : ['main', all];
  const { usage, options, findError = findAny, opensPages = () => false } = other ?? MAIN;
  try {
    const { values, positionals: others } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean' } },
      allowPositionals: true,
    });
    const { help, ...given } = values;
    if (help === true) return { usage, error: null };
    const error = findError(others);
    if (error !== null) return { usage, error };
    return { name, args: { others, options: given }, opensPages: opensPages(others, given) };
  } catch (error) {
    return { usage, error: error instanceof Error ? error.message : String(error) };
  }
}
