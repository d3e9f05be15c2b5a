import type { Locale } from '@alpenglow/ui';
import type { Page, Request } from 'playwright-core';
import { respondWith, injectFailure } from './browser-failures.ts';
import { eventually } from './eventually.ts';
import type { Visitor, World } from './people.ts';
import { headingOf, SCREENS, type Screen } from './screens.ts';

/** A state of a screen that has no URL. Examples are a gate, an open menu, a dialog and an error. */
export interface ScreenState {
  readonly name: string;
  readonly visitor: Visitor;
  /** Viewport in which the state occurs. By default, it occurs in both viewports. */
  readonly viewport?: 'phone' | 'desktop';
  readonly hasPassedGates?: boolean;
  readonly locale?: Locale;
  /** True if another screen replaces this state as soon as the page has loaded. */
  readonly isTransient?: true;
  /** Opens a page and performs the actions that lead to the state. */
  readonly open: (page: Page, world: World) => Promise<void>;
}

const at = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await headingOf(page).first().waitFor();
};

/** Opens a page by a link of the navigation bar. On a phone, the link is in a menu. */
async function goByBar(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
}

const errorBox = (page: Page) => page.getByRole('main').getByRole('alert');

export const SCREEN_STATES: readonly ScreenState[] = [
  {
    name: 'age-gate',
    visitor: 'guest',
    hasPassedGates: false,
    open: async (page) => {
      await page.goto('/');
      await page.getByRole('button', { name: 'I am 18+ — Enter' }).waitFor();
    },
  },
  {
    name: 'guidelines-gate',
    visitor: 'guest',
    hasPassedGates: false,
    open: async (page) => {
      await page.goto('/');
      await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
      await page.getByRole('button', { name: 'Accept & Continue' }).waitFor();
    },
  },
  {
    name: 'cookie-banner',
    visitor: 'guest',
    hasPassedGates: false,
    open: async (page) => {
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
    viewport: 'phone',
    open: async (page) => {
      await at(page, '/about');
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await page.getByRole('button', { name: 'Logout' }).waitFor();
    },
  },
  {
    name: 'preferences',
    visitor: 'guest',
    viewport: 'desktop',
    open: async (page) => {
      // The menu covers no small links of this page. Axe would count the visible part of a covered link as its size.
      await at(page, '/login');
      await page
        .getByRole('banner')
        .getByRole('button', { name: /Language and appearance/u })
        .click();
      await page.getByRole('banner').getByRole('link', { name: 'Deutsch' }).waitFor();
    },
  },
  {
    name: 'more-filters',
    visitor: 'guest',
    viewport: 'desktop',
    open: async (page) => {
      await at(page, '/listings?state=NV&category=escort');
      await page.getByRole('button', { name: /^More filters/u }).click();
      await page.getByRole('checkbox', { name: /Own photos/u }).waitFor();
    },
  },
  {
    name: 'filter-sheet',
    visitor: 'guest',
    viewport: 'phone',
    open: async (page) => {
      await at(page, '/listings');
      await page.getByRole('button', { name: /^Filters/u }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'contact-shown',
    visitor: 'guest',
    open: async (page, { ad }) => {
      await at(page, `/ad/${ad.id}`);
      await page.getByRole('button', { name: 'Show contact' }).first().click();
      await page.getByRole('link', { name: /555/u }).first().waitFor();
    },
  },
  {
    name: 'full-screen-photo',
    visitor: 'guest',
    open: async (page, { ad }) => {
      await at(page, `/ad/${ad.id}`);
      await page.getByRole('main').getByRole('button', { name: 'Full screen' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'delete-dialog',
    visitor: 'provider',
    open: async (page) => {
      await at(page, '/provider-profile');
      await page
        .getByRole('main')
        .getByRole('button', { name: /Delete/u })
        .first()
        .click();
      await page.getByRole('alertdialog').or(page.getByRole('dialog')).waitFor();
    },
  },
  { name: 'post-form', visitor: 'newcomer', open: (page) => openPostForm(page) },
  {
    name: 'post-form-errors',
    visitor: 'newcomer',
    open: async (page) => {
      await openPostForm(page);
      await page.getByRole('button', { name: 'Post Ad' }).click();
      await errorBox(page).getByText('Please fill in all required fields').waitFor();
    },
  },
  { name: 'post-form-german', visitor: 'newcomer', locale: 'de', open: (page) => at(page, '/post-ad') },
  { name: 'dashboard-french', visitor: 'provider', locale: 'fr', open: (page) => at(page, '/provider-profile') },
  { name: 'listings-italian', visitor: 'guest', locale: 'it', open: (page) => at(page, '/listings') },
  { name: 'home-german', visitor: 'guest', locale: 'de', open: (page) => at(page, '/') },
  { name: 'post-unverified', visitor: 'unverified', open: (page) => at(page, '/post-ad') },
  { name: 'dashboard-without-ad', visitor: 'newcomer', open: (page) => at(page, '/provider-profile') },
  { name: 'verify-form', visitor: 'unverified', open: (page) => at(page, '/verify-email') },
  {
    name: 'login-error',
    visitor: 'guest',
    open: async (page) => {
      await at(page, '/login');
      await page.getByRole('textbox', { name: 'E-mail' }).fill('nobody@example.com');
      await page.getByLabel('Password').fill('not the password');
      await injectFailure(page, 'POST /api/auth/login', respondWith(401, {}));
      await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
      await errorBox(page).waitFor();
    },
  },
  {
    name: 'sign-up-errors',
    visitor: 'guest',
    open: async (page) => {
      await at(page, '/signup');
      await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
      await page.locator('[aria-invalid="true"]').first().waitFor();
    },
  },
  { name: 'account-required', visitor: 'guest', open: (page) => at(page, '/post-ad') },
  { name: 'ad-not-found', visitor: 'guest', open: (page) => at(page, '/ad/0000000000') },
  {
    name: 'listings-failed',
    visitor: 'client',
    open: async (page) => {
      await injectFailure(page, 'GET /api/ads', respondWith(400, {}));
      // Starts on another page and then navigates. The first page of a visit contains its data in the HTML, so it would
      // send no request that can fail.
      await at(page, '/about');
      await goByBar(page, 'Browse');
      await errorBox(page).first().waitFor();
    },
  },
  {
    name: 'remote-failed',
    visitor: 'guest',
    open: async (page) => {
      await page.route('**/mf/mf-community/**', (route) => route.abort());
      await at(page, '/community');
      await errorBox(page).waitFor();
    },
  },
  {
    name: 'remote-unfit',
    visitor: 'guest',
    open: async (page) => {
      await page.route('**/mf/registry.json', async (route) => {
        const response = await route.fetch();
        await route.fulfill({
          response,
          body: (await response.text()).replaceAll('"fits":true', '"fits":false'),
        });
      });
      await at(page, '/community');
    },
  },
  {
    name: 'offline',
    visitor: 'guest',
    open: async (page) => {
      await at(page, '/about');
      await page.context().setOffline(true);
      await page.getByText('You are offline').waitFor();
    },
  },
  {
    name: 'thread-preview',
    visitor: 'client',
    open: async (page, { thread }) => {
      await at(page, thread.path);
      await page.getByLabel('Your reply').fill('A *calm* place.\n\n- by the river\n- in the park');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('listitem').filter({ hasText: 'by the river' }).waitFor();
    },
  },
  {
    name: 'thread-quote',
    visitor: 'client',
    open: async (page, { thread }) => {
      await at(page, thread.path);
      await page.locator('#post-1').getByRole('button', { name: 'Quote' }).click();
      await page.getByRole('button', { name: 'Remove quote' }).waitFor();
    },
  },
  {
    name: 'report-post',
    visitor: 'guest',
    open: async (page, { thread }) => {
      await at(page, thread.path);
      await page.getByRole('button', { name: 'More actions for post 1' }).click();
      await page.getByRole('button', { name: 'Report' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'moderator-menu',
    visitor: 'admin',
    open: async (page, { thread }) => {
      await at(page, thread.path);
      await page.getByRole('button', { name: 'Moderate' }).click();
      await page.getByRole('button', { name: 'Pin in this city' }).waitFor();
    },
  },
  {
    name: 'hide-post',
    visitor: 'admin',
    open: async (page, { thread }) => {
      await at(page, thread.path);
      await page.getByRole('button', { name: 'More actions for post 1' }).click();
      await page.getByRole('button', { name: 'Hide', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'loading',
    isTransient: true,
    visitor: 'guest',
    open: async (page) => {
      await page.route('**/remote-entry.js', () => undefined);
      await page.goto('/favorites');
      await page.getByRole('main').getByText('Loading Alpenglow…').waitFor();
    },
  },
];

async function openPostForm(page: Page): Promise<void> {
  await at(page, '/post-ad');
  await page.getByRole('button', { name: 'Post Ad' }).waitFor();
}

/**
 * Returns all screens and states to check. A screen that differs between roles is included once for each of these
 * roles.
 */
export function allScreenStates(): readonly ScreenState[] {
  const momentsOf = (screen: Screen): readonly ScreenState[] => {
    const roles = screen.checkedRoles ?? ['guest'];
    return roles.map((role) => ({
      name: roles.length > 1 ? `${screen.name}-${role}` : screen.name,
      visitor: role,
      open: async (page, world) => {
        await page.goto(screen.path(world));
        await headingOf(page)
          .filter({ hasText: screen.expectedPage(role, world).heading })
          .waitFor();
      },
    }));
  };
  return [...SCREENS.flatMap(momentsOf), ...SCREEN_STATES];
}

/**
 * Call this function before a page opens. Returns a function that waits until no request is pending, nothing is
 * loading, and fonts and visible pictures are loaded. For a transient state, that function waits only for fonts and
 * pictures.
 */
export function trackPageActivity(page: Page): (isTransient?: boolean) => Promise<void> {
  const pendingRequests = new Set<Request>();
  let isNavigating = false;
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) {
      // The pending requests of the previous page are irrelevant.
      pendingRequests.clear();
      isNavigating = true;
    }
    pendingRequests.add(request);
  });
  page.on('framenavigated', (frame) => {
    if (!isNavigating || frame !== page.mainFrame()) return;
    isNavigating = false;
    // Requests that the previous page sent after the navigation began may never end.
    for (const request of pendingRequests) if (!request.isNavigationRequest()) pendingRequests.delete(request);
  });
  page.on('requestfinished', (request) => pendingRequests.delete(request));
  page.on('requestfailed', (request) => pendingRequests.delete(request));
  return async (isTransient = false) => {
    await eventually(async () => {
      const pending = await page.evaluate(findPendingContent);
      const stillLoading = [
        ...pending.pictures,
        ...(isTransient ? [] : [...pending.busy, ...[...pendingRequests].map((request) => request.url())]),
      ];
      if (stillLoading.length > 0) throw new Error(`Still loading: ${stillLoading.join(', ')}`);
    });
  };
}

/**
 * Waits until the main thread of the page is idle. Returns the visible pictures and elements that are still loading.
 * Runs in the browser page.
 */
async function findPendingContent(): Promise<{
  readonly pictures: readonly string[];
  readonly busy: readonly string[];
}> {
  const LIMIT_ms = 1_000;
  await document.fonts.ready;
  for (let round = 0; round < 2; round += 1)
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
