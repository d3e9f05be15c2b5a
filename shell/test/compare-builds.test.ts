import { findInterval, VITAL_LIMITS } from '@alpenglow/domain/contracts';
import { describe, expect, it } from 'vitest';
import {
  computeEvidence,
  describeVerdict,
  findWorse,
  TOLERANCE,
  type BuildFigures,
} from '../server/releases/compare-builds.ts';

/**
 * The automatic rollback (decision 0122): twenty bad builds are found after few views, and fifty harmless builds never.
 * The views are simulated with seeded random numbers, as those of a canary for 5 % of all browsers.
 */

/** Returns a generator of random numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The views of a build: probabilities, and factors of the measured times. */
interface Build {
  /** The share of page loads with an error. */
  readonly failed: number;
  /** The share of pages that the server cannot render. */
  readonly unrendered: number;
  /** The share of views that are slower than usual, and by which factor. */
  readonly slow: { readonly share: number; readonly lcp: number; readonly inp: number };
}
const USUAL: Build = { failed: 0.002, unrendered: 0, slow: { share: 0, lcp: 1, inp: 1 } };
const failing = (failed: number): Build => ({ ...USUAL, failed: USUAL.failed + failed });
const slow = (share: number, factors: { lcp?: number; inp?: number }): Build => ({
  ...USUAL,
  slow: { share, lcp: factors.lcp ?? 1, inp: factors.inp ?? 1 },
});

/** The share of page views whose visitors have agreed to measure their speed, and of pages that the server renders. */
const MEASURED = 0.4;
const RENDERED = 0.6;
const CANARY = 0.05;

class Figures implements BuildFigures {
  views = { all: 0, bad: 0 };
  rendering = { all: 0, bad: 0 };
  readonly lcp = Array<number>(VITAL_LIMITS.lcp.length + 1).fill(0);
  readonly inp = Array<number>(VITAL_LIMITS.inp.length + 1).fill(0);

  addView(build: Build, random: () => number): void {
    this.views = { all: this.views.all + 1, bad: this.views.bad + Number(random() < build.failed) };
    if (random() < RENDERED)
      this.rendering = {
        all: this.rendering.all + 1,
        bad: this.rendering.bad + Number(random() < build.unrendered),
      };
    if (random() >= MEASURED) return;
    const isSlow = random() < build.slow.share;
    // Times have a log-normal distribution around 1.2 s and 80 ms.
    const spread = Math.exp(0.6 * Math.sqrt(-2 * Math.log(random() || 1e-9)) * Math.cos(2 * Math.PI * random()));
    const add = (ranges: number[], index: number) => {
      ranges[index] = (ranges[index] ?? 0) + 1;
    };
    add(this.lcp, findInterval('lcp', 1_200 * spread * (isSlow ? build.slow.lcp : 1)));
    add(this.inp, findInterval('inp', 80 * spread * (isSlow ? build.slow.inp : 1)));
  }
}

/** Returns the number of views of a canary until it is found to be worse, or null if it is not within `all` views. */
function viewsUntilWorse(canary: Build, before: Build, seed: number, all: number) {
  const random = createRandom(seed);
  const [build, other] = [new Figures(), new Figures()];
  for (let view = 1; view <= all; view++) {
    if (random() < CANARY) build.addView(canary, random);
    else other.addView(before, random);
    if (view % 50 > 0) continue;
    const verdict = findWorse(build, other, TOLERANCE.atTheSameTime);
    if (verdict) return { views: build.views.all, verdict };
  }
  return null;
}

/** The page views of a day on a medium site. */
const DAY = 40_000;
/** At most this many views get a bad build: 0.5 % of those of a day. */
const AFFECTED_MAX = 0.005 * DAY;

describe('a bad build is found', () => {
  it.each<readonly [string, Build, measure: string]>([
    ['throws at its start', failing(1), 'errors'],
    ['throws after a click that 40 % make', failing(0.4), 'errors'],
    ['throws in French only', failing(0.12), 'errors'],
    ['throws on phones only', failing(0.55), 'errors'],
    ['shows its largest content three times later', slow(1, { lcp: 3 }), 'lcp'],
    ['needs a contract that the shell does not offer', failing(1), 'errors'],
    ['lacks a chunk of a page that 30 % open', failing(0.3), 'errors'],
    ['leaks memory, so that input becomes slow in 60 % of views', slow(0.6, { inp: 6 }), 'inp'],
    ['fails only in server rendering', { ...USUAL, unrendered: 1 }, 'rendering'],
    ['does not match its digest', failing(1), 'errors'],
    ['needs a feature that 9 % of browsers do not have', failing(0.09), 'errors'],
    ['rejects promises of those who agreed to report them', failing(0.35), 'errors'],
    ['misreads a response of the API on pages that 35 % open', failing(0.35), 'errors'],
    ['blocks the page at each input', slow(1, { inp: 4 }), 'inp'],
    ['is slow on phones only', slow(0.55, { lcp: 4 }), 'lcp'],
    ['throws after a reload', failing(0.2), 'errors'],
    ['was copied incompletely to one of ten servers', failing(0.1), 'errors'],
    ['does not respond within the time limit for 15 %', failing(0.15), 'errors'],
    ['throws in the dark theme', failing(0.3), 'errors'],
    ['cannot be rendered on the server in one language', { ...USUAL, unrendered: 0.25 }, 'rendering'],
  ])('that %s', (_, build, measure) => {
    for (let seed = 1; seed <= 5; seed++) {
      const found = viewsUntilWorse(build, USUAL, seed, DAY);
      expect(found?.verdict.measure, `seed ${seed}`).toBe(measure);
      expect(found?.views, `seed ${seed}`).toBeLessThanOrEqual(AFFECTED_MAX);
    }
  });
});

describe('a harmless build is not found', () => {
  it.each(Array.from({ length: 50 }, (_, number) => [number] as const))('number %i', (number) => {
    // Sites have between no errors and an error in 5 % of views, and a build may be a little better or worse.
    const failed = (number % 10) * 0.005;
    const before: Build = { ...USUAL, failed, unrendered: (number % 4) * 0.01 };
    const change = 0.9 + (number % 5) * 0.05;
    const build: Build = {
      failed: before.failed * change,
      unrendered: before.unrendered * change,
      slow: { share: 1, lcp: 1.02, inp: 0.98 },
    };
    expect(viewsUntilWorse(build, before, 1_000 + number, DAY)).toBeNull();
  });
});

describe('the evidence', () => {
  it('is no longer sufficient with one view less than the stated number', () => {
    const worse = (views: number) =>
      findWorse(
        { ...new Figures(), views: { all: views, bad: views } },
        { ...new Figures(), views: { all: views * 19, bad: 0 } },
        TOLERANCE.atTheSameTime,
      );
    expect(worse(4)).toBeNull();
    expect(worse(5)).toEqual({ measure: 'errors', build: { all: 5, bad: 5 }, before: { all: 95, bad: 0 } });
  });

  it('is small if the shares are equal, and smaller if the build is better', () => {
    const before = { all: 1_900, bad: 19 };
    const equal = computeEvidence({ all: 100, bad: 1 }, before, 1.5);
    expect(equal).toBeLessThan(1);
    expect(computeEvidence({ all: 100, bad: 0 }, before, 1.5)).toBeLessThan(equal);
  });

  it('is finite, also for many errors, and needs views of the build before', () => {
    expect(computeEvidence({ all: 100_000, bad: 100_000 }, { all: 1_000_000, bad: 0 }, 1.5)).toBeGreaterThan(1e6);
    expect(Number.isFinite(computeEvidence({ all: 1e6, bad: 1e6 }, { all: 1e6, bad: 0 }, 1.5))).toBe(true);
    const bad = { ...new Figures(), views: { all: 100, bad: 100 } };
    expect(findWorse(bad, { ...new Figures(), views: { all: 19, bad: 0 } }, 1.5)).toBeNull();
  });
});

it('the reason names the numbers of both builds', () => {
  const verdict = { measure: 'errors', build: { all: 5, bad: 5 }, before: { all: 95, bad: 0 } } as const;
  expect(describeVerdict(verdict)).toBe('page loads with an error: 5 of 5, and 0 of 95 with the build before');
});
