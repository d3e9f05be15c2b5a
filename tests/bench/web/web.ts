import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { launchBrowser } from '../../support/browser.ts';
import { setup as startPostgres } from '../../support/global-setup.ts';
import { freshPlace, startTestProduct, type Place } from '../../support/product.ts';
import { buildMonolith } from './monolith.mjs';
import { visit, type Visit } from './visit.ts';

const VISITS = 5;
const KB = 1024;
const DEFAULT_PATH = '/listings';

interface Row {
  readonly what: string;
  readonly unit: string;
  readonly of: (visit: Visit) => number;
  readonly digits: number;
  /** design/front-end.md, "Budget"; null where it sets none. */
  readonly limit: number | null;
}

const ROWS: readonly Row[] = [
  { what: 'Largest contentful paint', unit: 'ms', of: (one) => one.lcp_ms, digits: 0, limit: 1_300 },
  { what: 'Total blocking time', unit: 'ms', of: (one) => one.tbt_ms, digits: 0, limit: 150 },
  { what: 'Cumulative layout shift', unit: '', of: (one) => one.cls, digits: 3, limit: 0.05 },
  { what: 'JavaScript', unit: 'KB', of: (one) => one.scripts_bytes / KB, digits: 1, limit: 230 },
  { what: 'Style sheets', unit: 'KB', of: (one) => one.styles_bytes / KB, digits: 1, limit: 20 },
  { what: 'Images', unit: 'KB', of: (one) => one.images_bytes / KB, digits: 1, limit: null },
  { what: 'Everything', unit: 'KB', of: (one) => one.all_bytes / KB, digits: 1, limit: null },
  { what: 'Requests', unit: '', of: (one) => one.requests, digits: 0, limit: null },
];

const say = (text: string) => process.stderr.write(`${text}\n`);
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * `npm run bench:web [-- path]`: a cold page of the federated site beside a build of the same screens as one application, served by the
 * same server with the same data; the listing page unless another is named. Prints the medians and writes `tests/bench/web-results.json`.
 */
export async function bench(root: string, [pagePath = DEFAULT_PATH]: readonly string[]): Promise<void> {
  say('Building the same screens as one application');
  const monolith = await buildMonolith(path.join(root, '.build/monolith'));
  const stopPostgres = await startPostgres();
  const place = await freshPlace();
  try {
    say('Starting the federated site with the demo data');
    const federated = await visitOften(pagePath, place, undefined);
    say('Starting the monolith');
    const single = await visitOften(pagePath, place, monolith);
    print(pagePath, federated, single);
    const results = {
      at: new Date().toISOString(),
      machine: { cpus: os.cpus().length, model: os.cpus()[0]?.model, node: process.version },
      path: pagePath,
      federated,
      monolith: single,
    };
    await writeFile(path.join(root, 'tests/bench/web-results.json'), `${JSON.stringify(results, null, 2)}\n`);
  } finally {
    await place.remove();
    await stopPostgres?.();
  }
}

/** The visits after one that warms up server and browser. */
async function visitOften(
  pagePath: string,
  place: Place,
  front: { readonly rootDir: string; readonly mfDir: string } | undefined,
): Promise<readonly Visit[]> {
  const product = await startTestProduct({ demo: true, ...(front && { mfDir: front.mfDir }) }, place, front?.rootDir);
  const browser = await launchBrowser();
  try {
    await visit(browser, product.url, pagePath);
    const visits: Visit[] = [];
    for (let number = 1; number <= VISITS; number++) {
      visits.push(await visit(browser, product.url, pagePath));
      say(`  visit ${number} of ${VISITS}: LCP ${visits.at(-1)?.lcp_ms.toFixed(0) ?? ''} ms`);
    }
    return visits;
  } finally {
    await browser.close();
    await product.stop();
  }
}

function print(pagePath: string, federated: readonly Visit[], monolith: readonly Visit[]): void {
  const cells = ROWS.map(({ what, unit, of, digits, limit }) => {
    const [ours, theirs] = [median(federated.map(of)), median(monolith.map(of))];
    const text = (value: number) => `${value.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}`;
    const verdict = limit === null ? '' : `${ours <= limit ? 'within' : 'OVER'} ${text(limit)}`;
    return [
      what,
      text(ours),
      text(theirs),
      theirs === 0 ? (ours === 0 ? '1.00 ×' : '—') : `${(ours / theirs).toFixed(2)} ×`,
      verdict,
    ];
  });
  const table = [['', 'federated', 'monolith', 'ratio', 'budget'], ...cells];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  process.stdout.write(`\n${pagePath}, cold, 9 Mbps / 100 ms / processor 4 × slower, median of ${VISITS}\n`);
  for (const row of table)
    process.stdout.write(
      `${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('   ')}\n`,
    );
}
