import type { Locale } from '@alpenglow/ui';
import type { Page, Request } from 'playwright-core';
import { answer, inject } from './browser-faults.ts';
import { eventually } from './eventually.ts';
import type { Visitor, World } from './people.ts';
import { headingOf, SCREENS, type Screen } from './screens.ts';

/** A screen in a state that an address alone does not lead to: a gate, an open menu, a dialog, an error. */
export interface Moment {
  readonly name: string;
  readonly visitor: Visitor;
  /** The one viewport where it can be; absent: both. */
  readonly only?: 'phone' | 'desktop';
  readonly hasPassedGates?: boolean;
  readonly locale?: Locale;
  /** Stands only until the screen comes. */
  readonly isPassing?: true;
  /** Opens a page and does what leads there. */
  readonly reach: (page: Page, world: World) => Promise<void>;
}

const at = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await headingOf(page).first().waitFor();
};

/** By the navigation bar, which stands behind a menu on a phone. */
async function goByBar(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
}

const ERROR_BOX = (page: Page) => page.getByRole('main').getByRole('alert');

export const MOMENTS: readonly Moment[] = [
  {
    name: 'age-gate',
    visitor: 'guest',
    hasPassedGates: false,
    reach: async (page) => {
      await page.goto('/');
      await page.getByRole('button', { name: 'I am 18+ — Enter' }).waitFor();
    },
  },
  {
    name: 'guidelines-gate',
    visitor: 'guest',
    hasPassedGates: false,
    reach: async (page) => {
      await page.goto('/');
      await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
      await page.getByRole('button', { name: 'Accept & Continue' }).waitFor();
    },
  },
  {
    name: 'cookie-banner',
    visitor: 'guest',
    hasPassedGates: false,
    reach: async (page) => {
      await page.goto('/');
      await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
      await page.getByRole('button', { name: 'Accept & Continue' }).click();
      await page.getByRole('button', { name: 'Essential only' }).waitFor();
      await headingOf(page).first().waitFor();
    },
  },
  {
    name: 'menu',
    visitor: 'provider',
    only: 'phone',
    reach: async (page) => {
      await at(page, '/about');
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await page.getByRole('button', { name: 'Logout' }).waitFor();
    },
  },
  {
    name: 'preferences',
    visitor: 'guest',
    only: 'desktop',
    reach: async (page) => {
      await at(page, '/about');
      await page
        .getByRole('banner')
        .getByRole('button', { name: /Language and appearance/u })
        .click();
      await page.getByRole('banner').getByRole('button', { name: 'Deutsch' }).waitFor();
    },
  },
  {
    name: 'more-filters',
    visitor: 'guest',
    only: 'desktop',
    reach: async (page) => {
      await at(page, '/listings?state=NV&category=escort');
      await page.getByRole('button', { name: /^More filters/u }).click();
      await page.getByRole('checkbox', { name: /Own photos/u }).waitFor();
    },
  },
  {
    name: 'filter-sheet',
    visitor: 'guest',
    only: 'phone',
    reach: async (page) => {
      await at(page, '/listings');
      await page.getByRole('button', { name: /^Filters/u }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'contact-shown',
    visitor: 'guest',
    reach: async (page, { ad }) => {
      await at(page, `/ad/${ad.id}`);
      await page.getByRole('button', { name: 'Show contact' }).first().click();
      await page.getByRole('link', { name: /555/u }).first().waitFor();
    },
  },
  {
    name: 'full-screen-photo',
    visitor: 'guest',
    reach: async (page, { ad }) => {
      await at(page, `/ad/${ad.id}`);
      await page.getByRole('main').getByRole('button', { name: 'Full screen' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'delete-dialog',
    visitor: 'provider',
    reach: async (page) => {
      await at(page, '/provider-profile');
      await page
        .getByRole('main')
        .getByRole('button', { name: /Delete/u })
        .first()
        .click();
      await page.getByRole('alertdialog').or(page.getByRole('dialog')).waitFor();
    },
  },
  { name: 'post-form', visitor: 'newcomer', reach: (page) => openPostForm(page) },
  {
    name: 'post-form-errors',
    visitor: 'newcomer',
    reach: async (page) => {
      await openPostForm(page);
      await page.getByRole('button', { name: 'Post Ad' }).click();
      await ERROR_BOX(page).getByText('Please fill in all required fields').waitFor();
    },
  },
  { name: 'post-form-german', visitor: 'newcomer', locale: 'de', reach: (page) => at(page, '/post-ad') },
  { name: 'dashboard-french', visitor: 'provider', locale: 'fr', reach: (page) => at(page, '/provider-profile') },
  { name: 'listings-italian', visitor: 'guest', locale: 'it', reach: (page) => at(page, '/listings') },
  { name: 'home-german', visitor: 'guest', locale: 'de', reach: (page) => at(page, '/') },
  { name: 'post-unverified', visitor: 'unverified', reach: (page) => at(page, '/post-ad') },
  { name: 'dashboard-without-ad', visitor: 'newcomer', reach: (page) => at(page, '/provider-profile') },
  { name: 'verify-form', visitor: 'unverified', reach: (page) => at(page, '/verify-email') },
  {
    name: 'login-error',
    visitor: 'guest',
    reach: async (page) => {
      await at(page, '/login');
      await page.getByRole('textbox', { name: 'E-mail' }).fill('nobody@example.com');
      await page.getByLabel('Password').fill('not the password');
      await inject(page, 'POST /api/auth/login', answer(401, {}));
      await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
      await ERROR_BOX(page).waitFor();
    },
  },
  {
    name: 'sign-up-errors',
    visitor: 'guest',
    reach: async (page) => {
      await at(page, '/signup');
      await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
      await page.locator('[aria-invalid="true"]').first().waitFor();
    },
  },
  { name: 'account-required', visitor: 'guest', reach: (page) => at(page, '/post-ad') },
  { name: 'ad-not-found', visitor: 'guest', reach: (page) => at(page, '/ad/0000000000') },
  {
    name: 'listings-failed',
    visitor: 'client',
    reach: async (page) => {
      await inject(page, 'GET /api/ads', answer(400, {}));
      // From another page: the first page of a visit brings its data along.
      await at(page, '/about');
      await goByBar(page, 'Browse');
      await ERROR_BOX(page).first().waitFor();
    },
  },
  {
    name: 'remote-failed',
    visitor: 'guest',
    reach: async (page) => {
      await page.route('**/mf/mf-community/**', (route) => route.abort());
      await at(page, '/community');
      await ERROR_BOX(page).waitFor();
    },
  },
  {
    name: 'remote-unfit',
    visitor: 'guest',
    reach: async (page) => {
      await page.route('**/mf/registry.json', async (route) => {
        const response = await route.fetch();
        await route.fulfill({
          response,
          body: (await response.text()).replaceAll(/"contractVersion":\s*\d+/gu, '"contractVersion":999'),
        });
      });
      await at(page, '/community');
    },
  },
  {
    name: 'offline',
    visitor: 'guest',
    reach: async (page) => {
      await at(page, '/about');
      await page.context().setOffline(true);
      await page.getByText('You are offline').waitFor();
    },
  },
  {
    name: 'thread-preview',
    visitor: 'client',
    reach: async (page, { thread }) => {
      await at(page, thread.path);
      await page.getByLabel('Your reply').fill('A *calm* place.\n\n- by the river\n- in the park');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('listitem').filter({ hasText: 'by the river' }).waitFor();
    },
  },
  {
    name: 'thread-quote',
    visitor: 'client',
    reach: async (page, { thread }) => {
      await at(page, thread.path);
      await page.locator('#post-1').getByRole('button', { name: 'Quote' }).click();
      await page.getByRole('button', { name: 'Without the quotation' }).waitFor();
    },
  },
  {
    name: 'report-post',
    visitor: 'guest',
    reach: async (page, { thread }) => {
      await at(page, thread.path);
      await page.getByRole('button', { name: 'More about post 1' }).click();
      await page.getByRole('button', { name: 'Report' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'moderator-menu',
    visitor: 'admin',
    reach: async (page, { thread }) => {
      await at(page, thread.path);
      await page.getByRole('button', { name: 'Moderate' }).click();
      await page.getByRole('button', { name: 'Pin in its city' }).waitFor();
    },
  },
  {
    name: 'hide-post',
    visitor: 'admin',
    reach: async (page, { thread }) => {
      await at(page, thread.path);
      await page.getByRole('button', { name: 'More about post 1' }).click();
      await page.getByRole('button', { name: 'Hide', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'loading',
    isPassing: true,
    visitor: 'guest',
    reach: async (page) => {
      await page.route('**/remote-entry.js', () => undefined);
      await page.goto('/community');
      await page.getByRole('main').getByText('Loading Alpenglow…').waitFor();
    },
  },
];

async function openPostForm(page: Page): Promise<void> {
  await at(page, '/post-ad');
  await page.getByRole('button', { name: 'Post Ad' }).waitFor();
}

/** Everything that is looked at: screens as those see them who see them differently, and moments. */
export function everythingToSee(): readonly Moment[] {
  const ofScreen = (screen: Screen): readonly Moment[] => {
    const roles = screen.lookedAtBy ?? ['guest'];
    return roles.map((role) => ({
      name: roles.length > 1 ? `${screen.name}-${role}` : screen.name,
      visitor: role,
      reach: async (page, world) => {
        await page.goto(screen.path(world));
        await headingOf(page)
          .filter({ hasText: screen.finds(role, world).heading })
          .waitFor();
      },
    }));
  };
  return [...SCREENS.flatMap(ofScreen), ...MOMENTS];
}

/**
 * Asked before a page is opened; what it returns waits until the page has come to rest: nothing loads, no skeleton stands, fonts and the
 * pictures in view are there. On what only stands until something else comes, nothing but fonts and pictures is waited for.
 */
export function watchRest(page: Page): (isPassing?: boolean) => Promise<void> {
  const underWay = new Set<Request>();
  page.on('request', (request) => {
    // What the page before had asked for is nobody's any more.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) underWay.clear();
    underWay.add(request);
  });
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => underWay.delete(request));
  return async (isPassing = false) => {
    await eventually(async () => {
      const looks = await page.evaluate(lookForRest);
      const unrest = [
        ...looks.pictures,
        ...(isPassing ? [] : [...looks.busy, ...[...underWay].map((request) => request.url())]),
      ];
      if (unrest.length > 0) throw new Error(`There is still ${unrest.join(', ')}`);
    });
  };
}

/** Runs in the page, once its thread has nothing else to do. Answers what stands for something that is still to come. */
async function lookForRest(): Promise<{ readonly pictures: readonly string[]; readonly busy: readonly string[] }> {
  const LIMIT_ms = 1_000;
  await document.fonts.ready;
  for (let times = 0; times < 2; times += 1)
    await new Promise((resolve) => requestIdleCallback(resolve, { timeout: LIMIT_ms }));
  const inView = [...document.images].filter((image) => {
    const { top, right, bottom, left } = image.getBoundingClientRect();
    return image.checkVisibility() && top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
  });
  return {
    pictures: inView.filter((image) => !image.complete).map(({ src }) => src),
    busy: [...document.querySelectorAll('[aria-busy="true"], [class*="skeleton"]')].map(({ className }) => className),
  };
}
