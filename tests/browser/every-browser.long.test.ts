import { listing } from '@alpenglow/domain';
import { postAd } from '@alpenglow/domain/deciders';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient, PASSWORD, validAd, type Person } from '../support/api-client.ts';
import { DESKTOP, launchFirefox, PHONE, sharedBrowser } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { UNUSED_PRELOAD } from '../support/browser-console.ts';
import { FIREFOX_INSTRUCTIONS, findFirefox, hasWebKit, WEBKIT_INSTRUCTIONS } from '../support/other-browsers.mjs';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, TEST_ORIGIN, type Recording } from '../support/recording.ts';
import { closeVisitors, failureFolder } from '../support/test-failures.ts';
import { openPlaywrightPage, type Viewport, type VisitorPage } from '../support/visitor-page.ts';
import { openWebKitPage } from '../support/webkit-page.ts';

/** Performs one path through all remotes in each supported browser, on a phone and on a desktop. */

interface TestedBrowser {
  readonly name: string;
  /** Why the test cannot run in this browser. Null if it can. */
  readonly missing: string | null;
  open(url: string, viewport: Viewport): Promise<VisitorPage>;
  /** Patterns of console messages that the product cannot avoid. */
  readonly expectedMessages: readonly RegExp[];
}

let firefox: Browser | undefined;
const BROWSERS: readonly TestedBrowser[] = [
  {
    name: 'Chromium',
    missing: null,
    open: async (url, viewport) => openPlaywrightPage(await sharedBrowser(), url, viewport),
    expectedMessages: [],
  },
  {
    name: 'Firefox',
    missing: findFirefox() === undefined ? FIREFOX_INSTRUCTIONS : null,
    open: async (url, viewport) => openPlaywrightPage((firefox ??= await launchFirefox()), url, viewport),
    expectedMessages: [],
  },
  {
    name: 'WebKit',
    missing: hasWebKit() ? null : WEBKIT_INSTRUCTIONS,
    open: openWebKitPage,
    expectedMessages: [
      // WebKitGTK, unlike Safari, has no web app manifests.
      /Unrecognized Content-Security-Policy directive 'manifest-src'/u,
      // WebKit also loads the registry of remotes again, because its preload must be revalidated.
      UNUSED_PRELOAD,
      // WebKit prints this for requests that it cancels when the page is left. All of them go to the same origin.
      /Fetch API cannot load http:\/\/127\.0\.0\.1:\S+ due to access control checks/u,
      // The page closes its WebSocket when the visitor leaves. WebKit suspends the page before the socket is closed.
      /WebSocket is closed due to suspension/u,
    ],
  },
];

/** An ad may be bumped 30 minutes after it was posted. */
const AGE_OF_OLD_AD_ms = 31 * 60_000;
/** Length of the part of a page that the message of a failed test contains. */
const MAX_SHOWN_characters = 400;
const PHONE_NUMBER = '(775) 555-0100';
const UPDATED =
  'Ad updated successfully! Would you like to view your updated ad? Click OK to view, Cancel to go to profile.';

let product: TestProduct;
let recording: Recording;
let folder: string;
let photo: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-photo-'));
  photo = path.join(folder, 'lake.jpg');
  await writeFile(photo, await pictures.jpeg());
  product = await startTestProduct();
  recording = await openRecording(product);
});
afterAll(async () => {
  await closeVisitors();
  await firefox?.close();
  await recording?.close();
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Posts an ad of a new provider that can be bumped now. Returns the provider. */
async function providerWithOldAd(title: string): Promise<Person> {
  const provider = await recording.member({ userType: 'provider', displayName: 'Anna' });
  const fields = {
    ...validAd,
    title,
    city: 'Reno',
    category: 'companion' as const,
    phone: PHONE_NUMBER,
    price: null,
    body: null,
    socialMedia: null,
  };
  const poster = { accountId: provider.user.id, isProvider: true, emailVerified: true };
  const command = { poster, clientId: null, fields, photos: [], video: null, isDemo: false };
  const now = new Date(Date.now() - AGE_OF_OLD_AD_ms).toISOString();
  await recording.commands.execute(listing, provider.user.id, postAd, command, TEST_ORIGIN, { now });
  return provider;
}

/** Opens a page that needs an account, and logs in there. */
async function logIn(page: VisitorPage, { email }: Person, to: string): Promise<void> {
  await page.goTo(to);
  await page.type('E-mail', email, 'main');
  await page.type('Password', PASSWORD, 'main');
  await page.press('button', 'Log in', 'main');
}

describe.each(BROWSERS)('$name', ({ name, missing, open, expectedMessages }) => {
  describe.skipIf(missing !== null)(missing ?? 'installed', () => {
    test.for([PHONE, DESKTOP])('runs the path through all remotes, $width px wide', async (viewport, { task }) => {
      const isPhone = viewport === PHONE;
      const oldTitle = `An evening by the lake, ${name} ${viewport.width}`;
      const newTitle = `A concert in town, ${name} ${viewport.width}`;
      const owner = await providerWithOldAd(oldTitle);
      const newcomer = await recording.member({ userType: 'provider', displayName: 'Berta' });
      const moderator = await recording.member({ role: 'moderator' });
      await waitForRead(createApiClient(product.url));
      const page = await open(product.url, viewport);
      const openMenu = () => (isPhone ? page.press('button', 'Menu', 'header') : Promise.resolve());
      const logOut = async () => {
        await openMenu();
        await page.press('button', 'Logout', 'header');
        // The home page is loaded again.
        await page.waitForText('Good company, found with care', 'main');
        await openMenu();
        await page.waitForText('Login', 'header');
      };
      try {
        // The gates of the shell, and the list, an ad, its contact and the favorites of `mf-listings`.
        await page.goTo('/listings');
        await page.press('button', 'I am 18+ — Enter');
        // The buttons of a question that has just appeared ignore presses.
        await pause(1_000);
        await page.press('button', 'Accept & Continue');
        await page.press('button', 'Essential only');
        await page.pressText(oldTitle, 'main');
        await page.press('button', 'Show contact', 'main');
        await page.waitForText(PHONE_NUMBER, 'main');
        await page.press('button', 'Save', 'main');
        await page.waitForText('Saved', 'main');
        await page.goTo('/favorites');
        await page.pressText(oldTitle, 'main');
        await page.press('button', 'Saved', 'main');
        await page.goTo('/favorites');
        await page.waitForText('Nothing saved yet', 'main');

        // The provider of the ad bumps it.
        await logIn(page, owner, '/provider-profile');
        await page.press('button', 'Bump to top', 'main');
        await page.waitForText('Your ad is now at the top.');
        await logOut();

        // Another provider posts and edits an ad in `mf-post-ad`.
        await logIn(page, newcomer, '/post-ad');
        await page.type('Name', 'Berta', 'main');
        await page.type('Title', newTitle, 'main');
        await page.choose('Category', 'Companion');
        await page.choose('State', 'Nevada');
        await page.choose('City', 'Reno');
        await page.type('Description', 'Calm and kind company.', 'main');
        await page.upload(photo);
        await page.waitForText('Photo uploaded', 'main');
        await page.press('button', 'Post Ad', 'main');
        await page.waitForText('Ad posted successfully!', 'dialog');
        await page.press('button', 'OK', 'dialog');
        await page.waitForText(newTitle, 'main');
        const adId = (await page.address()).split('/').at(-1) ?? '';
        await page.goTo(`/edit/${adId}`);
        await page.waitForText('Existing', 'main');
        await page.type('Title', `${newTitle}, edited`, 'main');
        await page.press('button', 'Update Ad', 'main');
        await page.waitForText(UPDATED, 'dialog');
        await page.press('button', 'OK', 'dialog');
        await page.waitForText(`${newTitle}, edited`, 'main');

        // The provider starts a thread in `mf-community`.
        await page.goTo('/community/us/nv/henderson');
        await page.press('link', 'Start a thread', 'main');
        await page.type('Title', 'A first walk by the water', 'main');
        await page.type('Text', `Who knows quiet paths in ${name} at ${viewport.width} px?`, 'main');
        await page.press('button', 'Start a thread', 'main');
        await page.waitForText('Send reply', 'main');
        await page.waitForText(`Who knows quiet paths in ${name} at ${viewport.width} px?`, 'main');

        // The provider reports the first ad, and a moderator hides it in `mf-admin`.
        await page.goTo('/listings');
        await page.pressText(oldTitle, 'main');
        await page.press('button', 'Report this ad', 'main');
        await page.pressText('Spam or advertising', 'dialog');
        await page.type('Details (optional)', 'The same text is everywhere.', 'dialog');
        await page.press('button', 'Send report', 'dialog');
        await page.waitForText('We have received your report.', 'dialog');
        await page.press('button', 'Close', 'dialog');
        await logOut();
        await logIn(page, moderator, '/admin/moderation');
        await page.waitForText(oldTitle, 'main');
        await page.press('button', 'Claim', 'main');
        await page.waitForText('The same text is everywhere.', 'main');
        await page.pressText('Hide the content', 'main');
        await page.type('Facts', 'The text was copied.', 'main');
        await page.press('button', 'Decide', 'main');
        await page.press('button', 'Decide', 'dialog');
        // The list is shown after the decision was stored. Its name is also on the page of the case.
        await page.waitForText('A claimed case is reserved for its moderator', 'main');
        await page.goTo('/admin/moderation?state=decided');
        await page.waitForText(oldTitle, 'main');
        await logOut();
        const problems = page
          .consoleProblems()
          .filter((problem) => !expectedMessages.some((pattern) => pattern.test(problem)));
        expect(problems, 'the console has no errors or warnings').toEqual([]);
      } catch (error) {
        await page.saveFailure(failureFolder(task));
        // A report of continuous integration has no screenshots, so the message says what the page showed.
        const shown = (await page.text()).slice(0, MAX_SHOWN_characters);
        throw new Error(`${(error as Error).message}\nAt ${await page.address()}: ${shown}`, { cause: error });
      } finally {
        await page.close();
      }
    });
  });
});
