import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { DESKTOP, launchBrowser, openVisitor, PHONE } from '../support/browser.ts';
import { setup as startPostgres } from '../support/global-setup.ts';
import { allScreenStates, trackPageActivity, type ScreenState } from '../support/screen-states.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct } from '../support/product.ts';

export interface ScreenshotsOptions {
  readonly root: string;
  /** Parts of the names of screens. If the list is empty, all screens are saved. */
  readonly names: readonly string[];
}

const VIEWPORTS = { phone: PHONE, desktop: DESKTOP } as const;
const THEMES = ['light', 'dark'] as const;
/** Number of screenshots that are taken in parallel. */
const MAX_PARALLEL = 2;

const print = (text: string) => process.stdout.write(`${text}\n`);

interface Shot {
  readonly moment: ScreenState;
  readonly width: keyof typeof VIEWPORTS;
  readonly theme: (typeof THEMES)[number];
}

/**
 * Starts a product with demo data and writes `screenshots/<name>-<width>-<theme>.png` for each screen. Throws at the
 * end if a screenshot has failed.
 */
export async function takeScreenshots({ root, names }: ScreenshotsOptions): Promise<void> {
  const moments = allScreenStates().filter(
    ({ name }) => names.length === 0 || names.some((part) => name.includes(part)),
  );
  if (moments.length === 0)
    throw new Error(
      `Nothing is called so. There are ${allScreenStates()
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  const folder = path.join(root, 'screenshots');
  await mkdir(folder, { recursive: true });
  const stopPostgres = await startPostgres();
  try {
    print('Starting a product with the demo data');
    const product = await startTestProduct({ isDemo: true });
    const browser = await launchBrowser();
    try {
      const world = await populate(product.url, AD);
      await waitForStockPictures(product.url);
      const shots = moments.flatMap((moment) =>
        widthsOf(moment).flatMap((width) => THEMES.map((theme) => ({ moment, width, theme }))),
      );
      const failed = await takeAll(shots, { browser, url: product.url, world, folder });
      print(`${shots.length - failed.length} pictures in ${path.relative(root, folder)}/`);
      if (failed.length > 0) throw new Error(`Screenshots that failed: ${failed.join(', ')}`);
    } finally {
      await browser.close();
      await product.stop();
    }
  } finally {
    await stopPostgres?.();
  }
}

const widthsOf = ({ viewport }: ScreenState) => (viewport === undefined ? (['phone', 'desktop'] as const) : [viewport]);

const READY_LIMIT_ms = 60_000;

/** Waits for the stock pictures that demo ads show. The product creates them after its first start. */
async function waitForStockPictures(url: string): Promise<void> {
  const until_ms = Date.now() + READY_LIMIT_ms;
  while (!(await fetch(`${url}/uploads/photos/demo-12/1600.jpg`, { method: 'HEAD' })).ok) {
    if (Date.now() > until_ms) throw new Error('The stock pictures of the demo ads were not created in time');
    await pause(250);
  }
}

interface ScreenshotContext {
  readonly browser: Browser;
  readonly url: string;
  readonly world: World;
  readonly folder: string;
}

async function takeAll(shots: readonly Shot[], studio: ScreenshotContext): Promise<readonly string[]> {
  const failed: string[] = [];
  const next = shots.entries();
  const work = async () => {
    for (const [number, shot] of next) {
      const name = `${shot.moment.name}-${VIEWPORTS[shot.width].width}-${shot.theme}`;
      try {
        await take(shot, name, studio);
        print(`${number + 1}/${shots.length} ${name}`);
      } catch (error) {
        failed.push(name);
        print(
          `${number + 1}/${shots.length} ${name} was not taken: ` +
            `${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  return failed;
}

async function take(
  { moment, width, theme }: Shot,
  name: string,
  { browser, url, world, folder }: ScreenshotContext,
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
    const waitUntilIdle = trackPageActivity(page);
    await moment.open(page, world);
    await waitUntilIdle(moment.isTransient);
    await page.screenshot({ path: path.join(folder, `${name}.png`) });
    if (moment.viewport === undefined)
      await page.screenshot({ path: path.join(folder, `${name}-whole.png`), fullPage: true });
  } finally {
    await context.close();
  }
}

/** The ad of the provider. It has no photos, so the product shows stock pictures. */
const AD = {
  description:
    'Calm and kind company for an evening by the water: dinner, a walk, good talk.\n\n' +
    'I answer in the morning and in the evening.',
  price: '$250',
  category: 'companion',
  socialMedia: { instagram: '@anna.by.the.lake', website: 'https://anna.example' },
};
