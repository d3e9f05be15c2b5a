import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { launchBrowser } from '../../support/browser.ts';
import { setup as startPostgres } from '../../support/global-setup.ts';
import { createEmptyLocation, startTestProduct, type DataLocation } from '../../support/product.ts';
import { buildMonolith } from './monolith.mjs';
import { visit, type Visit } from './visit.ts';

const VISITS = 5;
const KB = 1024;
const DEFAULT_PATH = '/listings';

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly measure: (visit: Visit) => number;
  readonly digits: number;
  /** Limit of the size budget (F-25 to F-27), or null if there is none. */
  readonly limit: number | null;
}

const ROWS: readonly Row[] = [
  { name: 'Largest contentful paint', unit: 'ms', measure: (result) => result.lcp_ms, digits: 0, limit: 1_300 },
  { name: 'Total blocking time', unit: 'ms', measure: (result) => result.tbt_ms, digits: 0, limit: 150 },
  { name: 'Cumulative layout shift', unit: '', measure: (result) => result.cls, digits: 3, limit: 0.05 },
  { name: 'JavaScript', unit: 'KB', measure: (result) => result.scripts_bytes / KB, digits: 1, limit: 230 },
  { name: 'Style sheets', unit: 'KB', measure: (result) => result.styles_bytes / KB, digits: 1, limit: 20 },
  { name: 'Images', unit: 'KB', measure: (result) => result.images_bytes / KB, digits: 1, limit: null },
  { name: 'Everything', unit: 'KB', measure: (result) => result.all_bytes / KB, digits: 1, limit: null },
  { name: 'Requests', unit: '', measure: (result) => result.requests, digits: 0, limit: null },
];

const printProgress = (text: string) => process.stderr.write(`${text}\n`);
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Runs `npm run bench:web [-- path]`. Compares a page of the federated site with the same page of a single application.
 * Both pages are opened with an empty cache, and the same server serves them with the same data. The default path is
 * `/listings`. Prints the medians and writes `tests/bench/web-results.json`.
 */
export async function bench(root: string, [pagePath = DEFAULT_PATH]: readonly string[]): Promise<void> {
  printProgress('Building the same screens as one application');
  const monolith = await buildMonolith(path.join(root, '.build/monolith'));
  const stopPostgres = await startPostgres();
  const place = await createEmptyLocation();
  try {
    printProgress('Starting the federated site with the demo data');
    const federated = await visitRepeatedly(pagePath, place, undefined);
    printProgress('Starting the monolith');
    const single = await visitRepeatedly(pagePath, place, monolith);
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

/** Visits a page several times. Does not return the first visit, which warms up the server and the browser. */
async function visitRepeatedly(
  pagePath: string,
  place: DataLocation,
  monolith: { readonly rootDir: string; readonly mfDir: string } | undefined,
): Promise<readonly Visit[]> {
  const product = await startTestProduct(
    { isDemo: true, ...(monolith && { mfDir: monolith.mfDir }) },
    place,
    monolith?.rootDir,
  );
  const browser = await launchBrowser();
  try {
    await visit(browser, product.url, pagePath);
    const visits: Visit[] = [];
    for (let number = 1; number <= VISITS; number++) {
      visits.push(await visit(browser, product.url, pagePath));
      printProgress(`  visit ${number} of ${VISITS}: LCP ${visits.at(-1)?.lcp_ms.toFixed(0) ?? ''} ms`);
    }
    return visits;
  } finally {
    await browser.close();
    await product.stop();
  }
}

function print(pagePath: string, federated: readonly Visit[], monolith: readonly Visit[]): void {
  const cells = ROWS.map(({ name, unit, measure, digits, limit }) => {
    const [ours, theirs] = [median(federated.map(measure)), median(monolith.map(measure))];
    const text = (value: number) => `${value.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}`;
    const verdict = limit === null ? '' : `${ours <= limit ? 'within' : 'OVER'} ${text(limit)}`;
    return [
      name,
      text(ours),
      text(theirs),
      theirs === 0 ? (ours === 0 ? '1.00 ×' : '—') : `${(ours / theirs).toFixed(2)} ×`,
      verdict,
    ];
  });
  const table = [['', 'federated', 'monolith', 'ratio', 'budget'], ...cells];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  process.stdout.write(`\n${pagePath}, cold, 9 Mbps / 100 ms / processor 4 × slower, median of ${VISITS}\n`);
  for (const row of table) {
    const padded = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    process.stdout.write(`${padded.join('   ')}\n`);
  }
}
