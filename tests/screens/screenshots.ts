import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { DESKTOP, launchBrowser, openVisitor, PHONE } from '../support/browser.ts';
import { setup as startPostgres } from '../support/global-setup.ts';
import { everythingToSee, watchRest, type Moment } from '../support/moments.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct } from '../support/product.ts';

export interface ScreenshotsOptions {
  readonly root: string;
  /** Parts of names; none: everything. */
  readonly names: readonly string[];
}

const VIEWPORTS = { phone: PHONE, desktop: DESKTOP } as const;
const THEMES = ['light', 'dark'] as const;
/** Pictures at a time. */
const AT_ONCE = 2;

const say = (text: string) => process.stdout.write(`${text}\n`);

interface Shot {
  readonly moment: Moment;
  readonly width: keyof typeof VIEWPORTS;
  readonly theme: (typeof THEMES)[number];
}

/** Starts a product of its own with the demo data, and writes `screenshots/<name>-<width>-<theme>.png`. Throws at the end when some could not be taken. */
export async function takeScreenshots({ root, names }: ScreenshotsOptions): Promise<void> {
  const moments = everythingToSee().filter(
    ({ name }) => names.length === 0 || names.some((part) => name.includes(part)),
  );
  if (moments.length === 0)
    throw new Error(
      `Nothing is called so. There are ${everythingToSee()
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  const folder = path.join(root, 'screenshots');
  await mkdir(folder, { recursive: true });
  const stopPostgres = await startPostgres();
  try {
    say('Starting a product with the demo data');
    const product = await startTestProduct({ demo: true });
    const browser = await launchBrowser();
    try {
      const world = await populate(product.url, AD);
      await housePicturesAreReady(product.url);
      const shots = moments.flatMap((moment) =>
        widthsOf(moment).flatMap((width) => THEMES.map((theme) => ({ moment, width, theme }))),
      );
      const failed = await takeAll(shots, { browser, url: product.url, world, folder });
      say(`${shots.length - failed.length} pictures in ${path.relative(root, folder)}/`);
      if (failed.length > 0) throw new Error(`Not taken: ${failed.join(', ')}`);
    } finally {
      await browser.close();
      await product.stop();
    }
  } finally {
    await stopPostgres?.();
  }
}

const widthsOf = ({ only }: Moment) => (only === undefined ? (['phone', 'desktop'] as const) : [only]);

const READY_LIMIT_ms = 60_000;

/** The pictures that demo ads show are made after the first start. */
async function housePicturesAreReady(url: string): Promise<void> {
  const until_ms = Date.now() + READY_LIMIT_ms;
  while (!(await fetch(`${url}/uploads/photos/demo-12/1600.jpg`, { method: 'HEAD' })).ok) {
    if (Date.now() > until_ms) throw new Error('The pictures of the demo ads were not made in time');
    await pause(250);
  }
}

interface Studio {
  readonly browser: Browser;
  readonly url: string;
  readonly world: World;
  readonly folder: string;
}

async function takeAll(shots: readonly Shot[], studio: Studio): Promise<readonly string[]> {
  const failed: string[] = [];
  const next = shots.entries();
  const work = async () => {
    for (const [number, shot] of next) {
      const name = `${shot.moment.name}-${VIEWPORTS[shot.width].width}-${shot.theme}`;
      try {
        await take(shot, name, studio);
        say(`${number + 1}/${shots.length} ${name}`);
      } catch (error) {
        failed.push(name);
        say(
          `${number + 1}/${shots.length} ${name} was not taken: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}

async function take(
  { moment, width, theme }: Shot,
  name: string,
  { browser, url, world, folder }: Studio,
): Promise<void> {
  const token = world.tokenOf(moment.visitor);
  const context = await openVisitor(browser, url, {
    token,
    theme,
    viewport: VIEWPORTS[width],
    locale: moment.locale ?? 'en',
    hasPassedGates: moment.hasPassedGates ?? true,
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const comesToRest = watchRest(page);
    await moment.reach(page, world);
    await comesToRest(moment.isPassing);
    await page.screenshot({ path: path.join(folder, `${name}.png`) });
    if (moment.only === undefined)
      await page.screenshot({ path: path.join(folder, `${name}-whole.png`), fullPage: true });
  } finally {
    await context.close();
  }
}

/** The provider's ad. Without photos of its own it shows the house's pictures. */
const AD = {
  description:
    'Calm and kind company for an evening by the water: dinner, a walk, good talk.\n\nI answer in the morning and in the evening.',
  price: '$250',
  category: 'companion',
  socialMedia: { instagram: '@anna.by.the.lake', website: 'https://anna.example' },
};
