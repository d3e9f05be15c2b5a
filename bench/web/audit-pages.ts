import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { launchBrowser } from '../../tests/support/browser.ts';
import { installOnDemand } from '../npm.ts';

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const RUNS = 3;

/** Minimum score of each category, from 0 to 100. */
export const MINIMUM_SCORES: Readonly<Record<(typeof CATEGORIES)[number], number>> = {
  performance: 98,
  accessibility: 100,
  'best-practices': 100,
  seo: 100,
};

export interface Audit {
  readonly path: string;
  readonly scores: Readonly<Record<(typeof CATEGORIES)[number], number>>;
  readonly lcp_ms: number;
  readonly blocking_ms: number;
  readonly cls: number;
  /** The ids of the audits that reduce a score, except those of the category performance. */
  readonly failed: readonly string[];
}

/** The parts of the results of Lighthouse that this module uses. */
interface LighthouseResult {
  readonly lhr: {
    readonly categories: Readonly<
      Record<string, { readonly score: number | null; readonly auditRefs: readonly { readonly id: string }[] }>
    >;
    readonly audits: Readonly<Record<string, { readonly score: number | null; readonly numericValue?: number }>>;
  };
}

type Lighthouse = (url: string, flags: object) => Promise<LighthouseResult>;

/**
 * Audits pages with Lighthouse, with its default profile of a phone. Each page is audited several times, and the run
 * with the median performance is returned. Installs Lighthouse if it is missing.
 */
export async function auditPages(root: string, origin: string, paths: readonly string[]): Promise<readonly Audit[]> {
  const lighthouse = await loadLighthouse(root);
  const port = await findFreePort();
  const browser = await launchBrowser({ args: [`--remote-debugging-port=${port}`] });
  try {
    const audits: Audit[] = [];
    for (const pagePath of paths) {
      const runs: Audit[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const { lhr } = await lighthouse(new URL(pagePath, origin).href, { port, onlyCategories: CATEGORIES });
        runs.push(toAudit(pagePath, lhr));
      }
      runs.sort((a, b) => a.scores.performance - b.scores.performance);
      const median = runs[Math.floor(RUNS / 2)];
      if (median) audits.push(median);
    }
    return audits;
  } finally {
    await browser.close();
  }
}

function toAudit(pagePath: string, { categories, audits }: LighthouseResult['lhr']): Audit {
  const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100);
  const isFailed = (id: string) => {
    const value = audits[id]?.score;
    return value !== null && value !== undefined && value < 1;
  };
  return {
    path: pagePath,
    scores: {
      performance: score('performance'),
      accessibility: score('accessibility'),
      'best-practices': score('best-practices'),
      seo: score('seo'),
    },
    lcp_ms: audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
    blocking_ms: audits['total-blocking-time']?.numericValue ?? Number.NaN,
    cls: audits['cumulative-layout-shift']?.numericValue ?? Number.NaN,
    failed: CATEGORIES.filter((name) => name !== 'performance').flatMap((name) =>
      (categories[name]?.auditRefs ?? []).map(({ id }) => id).filter(isFailed),
    ),
  };
}

async function loadLighthouse(root: string): Promise<Lighthouse> {
  const folder = path.join(root, 'bench/web/lighthouse');
  await installOnDemand(folder);
  // Lighthouse is not part of the bundle of this benchmark, because it is installed while the benchmark runs.
  const entry = pathToFileURL(path.join(folder, 'node_modules/lighthouse/core/index.js')).href;
  const module = (await import(/* webpackIgnore: true */ entry)) as { readonly default: Lighthouse };
  return module.default;
}
