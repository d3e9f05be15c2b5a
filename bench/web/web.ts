import path from 'node:path';
import { adPath, type ResponseOf } from '@alpenglow/domain';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../tests/support/browser.ts';
import { setup as startPostgres } from '../../tests/support/global-setup.ts';
import { launchProduct, temporaryDataDir } from '../../tests/support/launched-product.ts';
import { buildCheckout, checkOut } from '../../tests/support/old-checkout.ts';
import {
  createEmptyLocation,
  startTestProduct,
  type DataLocation,
  type TestProduct,
} from '../../tests/support/product.ts';
import type { BenchArguments } from '../arguments.mjs';
import { writeResults } from '../results.ts';
import { median } from '../statistics.ts';
import { auditPages, MINIMUM_SCORES, type Audit } from './audit-pages.ts';
import { buildMonolith } from './monolith.mjs';
import { useSite, type Interaction } from './use-site.ts';
import { measureServer, type ServerCost } from './server-cost.ts';
import { visit, type Visit } from './visit.ts';

const VISITS = 5;
const SESSIONS = 3;
const KB = 1_000;

/** A value of a visit, and its goal: an absolute limit, or the largest ratio to the monolith. */
interface Row {
  readonly name: string;
  readonly unit: string;
  readonly measure: (visit: Visit) => number;
  readonly digits: number;
  /** One limit, or the limits of the list and of the ad. */
  readonly limit?: number | readonly [list: number, ad: number];
  readonly ratio?: number;
}

const ROWS: readonly Row[] = [
  { name: 'Largest contentful paint', unit: 'ms', measure: (result) => result.lcp_ms, digits: 0, ratio: 0.6 },
  { name: 'Total blocking time', unit: 'ms', measure: (result) => result.tbt_ms, digits: 0, ratio: 0.5 },
  { name: 'Cumulative layout shift', unit: '', measure: (result) => result.cls, digits: 3, limit: 0.02 },
  { name: 'JavaScript', unit: 'KB', measure: (result) => result.scripts_bytes / KB, digits: 1, limit: [165, 175] },
  { name: 'Style sheets', unit: 'KB', measure: (result) => result.styles_bytes / KB, digits: 1, limit: 20 },
  { name: 'Images', unit: 'KB', measure: (result) => result.images_bytes / KB, digits: 1 },
  { name: 'Everything', unit: 'KB', measure: (result) => result.all_bytes / KB, digits: 1 },
  { name: 'Requests', unit: '', measure: (result) => result.requests, digits: 0 },
];

const printProgress = (text: string) => process.stderr.write(`${text}\n`);

/**
 * Runs `npm run bench:web`. Compares a list and an ad of the federated site with the same pages of one application.
 * All pages are opened with an empty cache, and the same server serves them with the same data. Also compares a
 * session with several pages and the scores of Lighthouse, and measures the cost of the server. Prints the medians and
 * writes `bench/web-results.json`.
 *
 * With `--before <commit>`, compares this checkout with an earlier commit of its history instead.
 */
export async function bench(root: string, { options: { before } }: BenchArguments): Promise<void> {
  if (before !== undefined) {
    await compareWithCommit(root, before);
    return;
  }
  const { federated, monolith: single } = await compareWithMonolith(root);
  for (const [index, [page, visits]] of [...federated.visits].entries())
    printVisits(page, visits, single.visits.get(page) ?? [], index);
  printInteraction(federated.interaction, single.interaction);
  printServer(federated.server);
  printAudits(federated.audits, single.audits);
  await writeResults(root, 'web-results.json', {
    federated: { ...federated, visits: Object.fromEntries(federated.visits) },
    monolith: { ...single, visits: Object.fromEntries(single.visits) },
  });
}

/** The ratios of the comparison that `npm run bench` prints. */
export interface WebFigures {
  /** The blocking time of the list and of the ad ÷ that of one application. */
  readonly blockingList: number;
  readonly blockingAd: number;
  readonly interaction: number;
  readonly secondPage: number;
}

/** Measures the ratios of `npm run bench`. Needs Chromium. */
export async function benchWeb(root: string): Promise<WebFigures> {
  const { federated, monolith } = await compareWithMonolith(root);
  const blockingOf = ({ visits }: Pick<SiteFigures, 'visits'>) =>
    [...visits.values()].map((each) => median(each.map(({ tbt_ms }) => tbt_ms)));
  const [list = Number.NaN, ad = Number.NaN] = blockingOf(federated);
  const [listOfOne = Number.NaN, adOfOne = Number.NaN] = blockingOf(monolith);
  return {
    blockingList: list / listOfOne,
    blockingAd: ad / adOfOne,
    interaction: federated.interaction.inp_ms / monolith.interaction.inp_ms,
    secondPage: federated.interaction.secondPage_ms / monolith.interaction.secondPage_ms,
  };
}

interface SiteFigures {
  /** The visits by path, of the list and of the ad. */
  readonly visits: ReadonlyMap<string, readonly Visit[]>;
  readonly interaction: Interaction;
  readonly audits: readonly Audit[];
}

async function compareWithMonolith(
  root: string,
): Promise<{ readonly federated: SiteFigures & { readonly server: ServerCost }; readonly monolith: SiteFigures }> {
  printProgress('Building the same screens as one application');
  const monolith = await buildMonolith(path.join(root, '.build/monolith'));
  const stopPostgres = await startPostgres();
  const place = await createEmptyLocation();
  try {
    printProgress('Starting the federated site with the demo data');
    const federated = await measureSite(place, undefined, async (product, paths, browser) => ({
      visits: await visitPages(browser, product.url, paths),
      interaction: await useSiteSeveralTimes(browser, product.url),
      server: await measureServer(root, product.url, paths),
      audits: await auditPages(root, product.url, ['/', ...paths, '/blog', '/community']),
    }));
    printProgress('Starting the monolith');
    const single = await measureSite(place, monolith, async (product, paths, browser) => ({
      visits: await visitPages(browser, product.url, paths),
      interaction: await useSiteSeveralTimes(browser, product.url),
      audits: await auditPages(root, product.url, ['/', ...paths, '/blog', '/community']),
    }));
    return { federated, monolith: single };
  } finally {
    await place.remove();
    await stopPostgres?.();
  }
}

/** Uses the site in several sessions. Returns the medians. */
async function useSiteSeveralTimes(browser: Browser, url: string): Promise<Interaction> {
  const sessions: Interaction[] = [];
  for (let number = 0; number < SESSIONS; number += 1) sessions.push(await useSite(browser, url));
  return {
    inp_ms: median(sessions.map(({ inp_ms }) => inp_ms)),
    secondPage_ms: median(sessions.map(({ secondPage_ms }) => secondPage_ms)),
    cacheObstacles: [...new Set(sessions.flatMap(({ cacheObstacles }) => cacheObstacles))],
  };
}

/** The goal for the performance score of a page: this number of points above the monolith, or the maximum of 100. */
const LEAD = 5;

const compareScores = (ours: number, theirs: number) =>
  `${theirs}, ${verdict(ours >= Math.min(100, theirs + LEAD), `+${LEAD}`)}`;

/**
 * Compares this checkout with an earlier commit. Both run at the same time with demo data, and the visits alternate, so
 * that the load of the machine affects both. Prints the medians.
 */
async function compareWithCommit(root: string, commit: string): Promise<void> {
  printProgress(`Building ${commit}`);
  const { folder } = await checkOut(commit);
  await buildCheckout(folder);
  const before = await launchSite(folder);
  const now = await launchSite(root).catch(async (error: unknown) => {
    await before.stop();
    throw error;
  });
  const browser = await launchBrowser();
  try {
    const [paths, earlierPaths] = [await findPaths(now.url), await findPaths(before.url)];
    for (const [index, page] of paths.entries()) {
      const visits: { readonly now: Visit[]; readonly before: Visit[] } = { now: [], before: [] };
      // The first visits warm up the servers and the browser.
      for (let number = 0; number <= VISITS; number += 1) {
        const earlier = await visit(browser, before.url, earlierPaths[index] ?? page);
        const current = await visit(browser, now.url, page);
        if (number === 0) continue;
        visits.before.push(earlier);
        visits.now.push(current);
        printProgress(`  ${page}, visit ${number} of ${VISITS}`);
      }
      printTable(`${page}, cold, compared with ${commit}, median of ${VISITS}`, [
        ['', 'now', 'before', 'ratio'],
        ...ROWS.map(({ name, unit, measure, digits }) => {
          const [ours, theirs] = [median(visits.now.map(measure)), median(visits.before.map(measure))];
          const text = (value: number) => `${value.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}`;
          return [name, text(ours), text(theirs), theirs === 0 ? '—' : `${(ours / theirs).toFixed(2)} ×`];
        }),
      ]);
    }
    const sessions: { readonly now: Interaction[]; readonly before: Interaction[] } = { now: [], before: [] };
    for (let number = 0; number < SESSIONS; number += 1) {
      sessions.before.push(await useSite(browser, before.url));
      sessions.now.push(await useSite(browser, now.url));
    }
    const row = (name: string, valueOf: (interaction: Interaction) => number) => {
      const [ours, theirs] = [median(sessions.now.map(valueOf)), median(sessions.before.map(valueOf))];
      return [name, `${ours.toFixed(0)} ms`, `${theirs.toFixed(0)} ms`, `${(ours / theirs).toFixed(2)} ×`];
    };
    printTable(`A session with several pages, compared with ${commit}, median of ${SESSIONS}`, [
      ['', 'now', 'before', 'ratio'],
      row('Interaction to next paint, p75', ({ inp_ms }) => inp_ms),
      row('Ad page from a list', ({ secondPage_ms }) => secondPage_ms),
    ]);
  } finally {
    await browser.close();
    await now.stop();
    await before.stop();
  }
}

/** Starts a checkout with demo data in a separate process. */
async function launchSite(checkout: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const dataDir = await temporaryDataDir();
  const product = launchProduct({ dataDir: dataDir.path, root: checkout, env: { DEMO: 'on' } });
  const stop = async () => {
    if (product.process.pid !== undefined && product.process.exitCode === null)
      process.kill(-product.process.pid, 'SIGINT');
    await product.ended();
    await dataDir.remove();
  };
  try {
    return { url: await product.ready(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the paths of a list and of an ad. */
async function findPaths(url: string): Promise<readonly string[]> {
  const response = await fetch(new URL('/api/ads?sort=newest&limit=1', url));
  const { data } = (await response.json()) as ResponseOf<'listAds'>;
  const [ad] = data;
  if (!ad) throw new Error('The demo data contain no ad');
  return ['/listings', adPath(ad)];
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
    return await measure(product, await findPaths(product.url), browser);
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

/** `index` is 0 for the list and 1 for the ad. */
function printVisits(page: string, federated: readonly Visit[], monolith: readonly Visit[], index: number): void {
  const cells = ROWS.map(({ name, unit, measure, digits, limit: limits, ratio }) => {
    const limit = typeof limits === 'object' ? limits[index] : limits;
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

function printInteraction(federated: Interaction, monolith: Interaction): void {
  const row = (name: string, valueOf: (interaction: Interaction) => number, limit_ms: number, ratio: number) => {
    const [ours, theirs] = [valueOf(federated), valueOf(monolith)];
    return [
      name,
      `${ours.toFixed(0)} ms`,
      `${theirs.toFixed(0)} ms`,
      `${(ours / theirs).toFixed(2)} ×`,
      verdict(ours <= limit_ms, `≤ ${limit_ms} ms`),
      verdict(ours <= ratio * theirs, `≤ ${ratio} ×`),
    ];
  };
  printTable(`A session with several pages, median of ${SESSIONS}`, [
    ['', 'federated', 'monolith', 'ratio', 'limit', 'goal'],
    row('Interaction to next paint, p75', ({ inp_ms }) => inp_ms, 150, 0.8),
    row('Ad page from a list', ({ secondPage_ms }) => secondPage_ms, 300, 0.5),
  ]);
  const obstacles = federated.cacheObstacles;
  printTable('Back/forward cache', [
    ['What prevents it', obstacles.join(', ') || 'nothing', verdict(obstacles.length === 0, 'nothing')],
  ]);
}

function printServer({ p99_ms, perSecondAndCore }: ServerCost): void {
  printTable('Rendering on the server', [
    ['Time per page, p99', `${p99_ms.toFixed(1)} ms`, verdict(p99_ms <= 30, '≤ 30 ms')],
    ['Pages per second and core', perSecondAndCore.toFixed(0), verdict(perSecondAndCore >= 150, '≥ 150')],
  ]);
}

function printAudits(audits: readonly Audit[], ofMonolith: readonly Audit[]): void {
  const names = Object.keys(MINIMUM_SCORES) as (keyof typeof MINIMUM_SCORES)[];
  printTable('Lighthouse, phone', [
    ['', ...names, 'LCP', 'blocking', 'CLS', 'goal', 'performance of the monolith', 'failed audits'],
    ...audits.map(({ path: page, scores, lcp_ms, blocking_ms, cls, failed }, index) => [
      page,
      ...names.map((name) => String(scores[name])),
      `${lcp_ms.toFixed(0)} ms`,
      `${blocking_ms.toFixed(0)} ms`,
      cls.toFixed(3),
      names.every((name) => scores[name] >= MINIMUM_SCORES[name]) ? 'met' : 'MISSED',
      compareScores(scores.performance, ofMonolith[index]?.scores.performance ?? Number.NaN),
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
