import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { adPath, type AdListResponse } from '@alpenglow/domain';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/browser.ts';
import { setup as startPostgres } from '../../support/global-setup.ts';
import { createEmptyLocation, startTestProduct, type DataLocation, type TestProduct } from '../../support/product.ts';
import { auditPages, MINIMUM_SCORES, type Audit } from './audit-pages.ts';
import { buildMonolith } from './monolith.mjs';
import { useSite, type Interaction } from './use-site.ts';
import { measureServer, type ServerCost } from './server-cost.ts';
import { visit, type Visit } from './visit.ts';

const VISITS = 5;
const KB = 1024;

/** A value of a visit, and its goal: an absolute limit, or the largest ratio to the monolith. */
interface Row {
  readonly name: string;
  readonly unit: string;
  readonly measure: (visit: Visit) => number;
  readonly digits: number;
  readonly limit?: number;
  readonly ratio?: number;
}

const ROWS: readonly Row[] = [
  { name: 'Largest contentful paint', unit: 'ms', measure: (result) => result.lcp_ms, digits: 0, ratio: 0.6 },
  { name: 'Total blocking time', unit: 'ms', measure: (result) => result.tbt_ms, digits: 0, ratio: 0.5 },
  { name: 'Cumulative layout shift', unit: '', measure: (result) => result.cls, digits: 3, limit: 0.02 },
  { name: 'JavaScript', unit: 'KB', measure: (result) => result.scripts_bytes / KB, digits: 1, limit: 160 },
  { name: 'Style sheets', unit: 'KB', measure: (result) => result.styles_bytes / KB, digits: 1, limit: 20 },
  { name: 'Images', unit: 'KB', measure: (result) => result.images_bytes / KB, digits: 1 },
  { name: 'Everything', unit: 'KB', measure: (result) => result.all_bytes / KB, digits: 1 },
  { name: 'Requests', unit: '', measure: (result) => result.requests, digits: 0 },
];

const printProgress = (text: string) => process.stderr.write(`${text}\n`);
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Runs `npm run bench:web`. Compares a list and an ad of the federated site with the same pages of one application.
 * All pages are opened with an empty cache, and the same server serves them with the same data. Also measures a
 * session with several pages, the cost of the server, and the scores of Lighthouse. Prints the medians and writes
 * `tests/bench/web-results.json`.
 */
export async function bench(root: string): Promise<void> {
  printProgress('Building the same screens as one application');
  const monolith = await buildMonolith(path.join(root, '.build/monolith'));
  const stopPostgres = await startPostgres();
  const place = await createEmptyLocation();
  try {
    printProgress('Starting the federated site with the demo data');
    const federated = await measureSite(place, undefined, async (product, paths, browser) => ({
      visits: await visitPages(browser, product.url, paths),
      interaction: await useSite(browser, product.url),
      server: await measureServer(root, product.url, paths),
      audits: await auditPages(root, product.url, ['/', ...paths, '/blog', '/community']),
    }));
    printProgress('Starting the monolith');
    const single = await measureSite(place, monolith, (product, paths, browser) =>
      visitPages(browser, product.url, paths),
    );
    for (const [page, visits] of federated.visits) printVisits(page, visits, single.get(page) ?? []);
    printInteraction(federated.interaction);
    printServer(federated.server);
    printAudits(federated.audits);
    const results = {
      at: new Date().toISOString(),
      machine: { cpus: os.cpus().length, model: os.cpus()[0]?.model, node: process.version },
      federated: { ...federated, visits: Object.fromEntries(federated.visits) },
      monolith: Object.fromEntries(single),
    };
    await writeFile(path.join(root, 'tests/bench/web-results.json'), `${JSON.stringify(results, null, 2)}\n`);
  } finally {
    await place.remove();
    await stopPostgres?.();
  }
}

/** Starts a site, and calls `measure` with the paths of a list and of an ad. */
async function measureSite<Result>(
  place: DataLocation,
  monolith: { readonly rootDir: string; readonly mfDir: string } | undefined,
  measure: (product: TestProduct, paths: readonly string[], browser: Browser) => Promise<Result>,
): Promise<Result> {
  const product = await startTestProduct(
    { isDemo: true, ...(monolith && { mfDir: monolith.mfDir }) },
    place,
    monolith?.rootDir,
  );
  const browser = await launchBrowser();
  try {
    const response = await fetch(new URL('/api/ads?sort=newest&limit=1', product.url));
    const { data } = (await response.json()) as AdListResponse;
    const [ad] = data;
    if (!ad) throw new Error('The demo data contain no ad');
    return await measure(product, ['/listings', adPath(ad)], browser);
  } finally {
    await browser.close();
    await product.stop();
  }
}

/** Visits pages several times. Omits the first visits, which warm up the server and the browser. */
async function visitPages(
  browser: Browser,
  url: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly Visit[]>> {
  const byPath = new Map<string, readonly Visit[]>();
  for (const page of paths) {
    await visit(browser, url, page);
    const visits: Visit[] = [];
    for (let number = 1; number <= VISITS; number++) {
      visits.push(await visit(browser, url, page));
      printProgress(`  ${page}, visit ${number} of ${VISITS}: LCP ${visits.at(-1)?.lcp_ms.toFixed(0) ?? ''} ms`);
    }
    byPath.set(page, visits);
  }
  return byPath;
}

const verdict = (isMet: boolean, goal: string) => `${isMet ? 'met' : 'MISSED'} ${goal}`;

function printVisits(page: string, federated: readonly Visit[], monolith: readonly Visit[]): void {
  const cells = ROWS.map(({ name, unit, measure, digits, limit, ratio }) => {
    const [ours, theirs] = [median(federated.map(measure)), median(monolith.map(measure))];
    const text = (value: number) => `${value.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}`;
    return [
      name,
      text(ours),
      text(theirs),
      theirs === 0 ? (ours === 0 ? '1.00 ×' : '—') : `${(ours / theirs).toFixed(2)} ×`,
      limit === undefined ? '' : verdict(ours <= limit, `≤ ${text(limit)}`),
      ratio === undefined ? '' : verdict(ours <= ratio * theirs, `≤ ${ratio} ×`),
    ];
  });
  printTable(`${page}, cold, 9 Mbps / 100 ms / processor 4 × slower, median of ${VISITS}`, [
    ['', 'federated', 'monolith', 'ratio', 'limit', 'goal'],
    ...cells,
  ]);
}

function printInteraction({ inp_ms, secondPage_ms, cacheObstacles }: Interaction): void {
  printTable('A session with several pages', [
    ['Interaction to next paint, p75', `${inp_ms.toFixed(0)} ms`, verdict(inp_ms <= 150, '≤ 150 ms')],
    ['Ad page from a list', `${secondPage_ms.toFixed(0)} ms`, verdict(secondPage_ms <= 300, '≤ 300 ms')],
    [
      'What prevents the back/forward cache',
      cacheObstacles.join(', ') || 'nothing',
      verdict(cacheObstacles.length === 0, 'nothing'),
    ],
  ]);
}

function printServer({ p99_ms, perSecondAndCore }: ServerCost): void {
  printTable('Rendering on the server', [
    ['Time per page, p99', `${p99_ms.toFixed(1)} ms`, verdict(p99_ms <= 30, '≤ 30 ms')],
    ['Pages per second and core', perSecondAndCore.toFixed(0), verdict(perSecondAndCore >= 150, '≥ 150')],
  ]);
}

function printAudits(audits: readonly Audit[]): void {
  const names = Object.keys(MINIMUM_SCORES) as (keyof typeof MINIMUM_SCORES)[];
  printTable('Lighthouse, phone', [
    ['', ...names, 'LCP', 'blocking', 'CLS', 'goal', 'failed audits'],
    ...audits.map(({ path: page, scores, lcp_ms, blocking_ms, cls, failed }) => [
      page,
      ...names.map((name) => String(scores[name])),
      `${lcp_ms.toFixed(0)} ms`,
      `${blocking_ms.toFixed(0)} ms`,
      cls.toFixed(3),
      names.every((name) => scores[name] >= MINIMUM_SCORES[name]) ? 'met' : 'MISSED',
      failed.join(' '),
    ]),
  ]);
}

function printTable(title: string, table: readonly (readonly string[])[]): void {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  process.stdout.write(`\n${title}\n`);
  for (const row of table) {
    const padded = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    process.stdout.write(`${padded.join('   ')}\n`);
  }
}
