import type { Page } from 'playwright-core';
import admin from '../../mf-admin/src/locales/en.json';
import community from '../../mf-community/src/locales/en.json';
import decisions from '../../mf-listings/src/decisions/locales/en.json';
import listings from '../../mf-listings/src/locales/en.json';
import cityPage from '../../mf-listings/src/pages/city-texts/locales/en.json';
import homePage from '../../mf-listings/src/pages/home-texts/locales/en.json';
import ownAd from '../../mf-listings/src/own-ad/locales/en.json';
import { ARTICLE, type Role, type World } from './people.ts';

/** The screen that one role sees at a URL. */
export type ExpectedPage =
  /** The `<h1>` of the screen. `containedText` distinguishes screens that have the same heading. */
  | { readonly heading: string | RegExp; readonly containedText?: string | RegExp }
  /** A redirect to another URL, and the heading of the screen at that URL. */
  | { readonly redirectsTo: string; readonly heading: string | RegExp };

/** The ad and the thread that the screens show. */
type ShownWorld = Pick<World, 'ad' | 'thread'>;

export interface Screen {
  /** Name of the screen in file names and reports. */
  readonly name: string;
  readonly path: (world: ShownWorld) => string;
  readonly expectedPage: (role: Role, world: ShownWorld) => ExpectedPage;
  /** True if the server returns status 404, so that search engines do not index the page. */
  readonly isMissing?: true;
  /**
   * Roles for which the screen is checked separately, because the screen differs for them. By default, it is checked
   * for guests.
   */
  readonly checkedRoles?: readonly Role[];
}

const LOGIN: ExpectedPage = { redirectsTo: '/login', heading: 'Login' };
const HOME: ExpectedPage = { heading: homePage.heroTitle };

const same =
  (finding: ExpectedPage): Screen['expectedPage'] =>
  () =>
    finding;
/**
 * Expected screens of the signed-in roles. The moderator in the tests is also a client. If moderators have no entry,
 * the entry of the client applies to them.
 */
type SignedInFindings = Readonly<
  Record<Exclude<Role, 'guest' | 'moderator'>, ExpectedPage> & Partial<Record<'moderator', ExpectedPage>>
>;
const signedIn =
  (finding: ExpectedPage | SignedInFindings): Screen['expectedPage'] =>
  (role) =>
    role === 'guest' ? LOGIN : 'client' in finding ? (finding[role] ?? finding.client) : finding;
const adPage: Screen['expectedPage'] = (_role, { ad }) => ({ heading: ad.title });
const adminOnly = (heading: string, containedText?: string): Screen['expectedPage'] =>
  signedIn({
    admin: { heading, ...(containedText !== undefined && { containedText }) },
    moderator: { heading: admin['for.admin'] },
    client: { redirectsTo: '/', heading: homePage.heroTitle },
    provider: { redirectsTo: '/', heading: homePage.heroTitle },
  });
const staffOnly = (heading: string): Screen['expectedPage'] =>
  signedIn({
    admin: { heading },
    moderator: { heading },
    client: { redirectsTo: '/', heading: homePage.heroTitle },
    provider: { redirectsTo: '/', heading: homePage.heroTitle },
  });
const text = (name: string, address: string, heading: string | RegExp): Screen => ({
  name,
  path: () => address,
  expectedPage: same({ heading }),
});

/** The page to which login and sign-up redirect a signed-in user. */
const startPage = (role: Role): ExpectedPage =>
  role === 'provider'
    ? { redirectsTo: '/provider-profile', heading: 'Provider Dashboard' }
    : { redirectsTo: '/', heading: homePage.heroTitle };

/** All URLs, with the screen that each role sees at each URL. */
export const SCREENS: readonly Screen[] = [
  { name: 'home', path: () => '/', expectedPage: same(HOME) },
  {
    name: 'login',
    path: () => '/login',
    expectedPage: (role) => (role === 'guest' ? { heading: 'Login' } : startPage(role)),
  },
  {
    name: 'sign-up',
    path: () => '/signup',
    expectedPage: (role) => (role === 'guest' ? { heading: 'Sign Up' } : startPage(role)),
  },
  text('listings', '/listings', 'Browse ads'),
  text('listings-filtered', '/listings?state=NV&category=escort', /Nevada/u),
  text('listings-empty', '/listings?q=nothing-is-called-so', 'Browse ads'),
  {
    name: 'city',
    checkedRoles: [],
    path: () => '/city/reno',
    expectedPage: same({ redirectsTo: '/city/nv/reno', heading: /Reno/u }),
  },
  text('city-of-state', '/city/nv/reno', /Reno/u),
  {
    name: 'city-unknown',
    isMissing: true,
    path: () => '/city/atlantis',
    expectedPage: same({ heading: cityPage.placeUnknownTitle }),
  },
  {
    name: 'ad-by-place',
    path: ({ ad }) =>
      `/escorts/${ad.state.toLowerCase()}/${ad.city.toLowerCase().replaceAll(' ', '-')}/` +
      `${ad.title.toLowerCase().replaceAll(/\W+/gu, '-')}/${ad.id}`,
    expectedPage: adPage,
    checkedRoles: [],
  },
  { name: 'ad', path: ({ ad }) => `/ad/${ad.id}`, expectedPage: adPage, checkedRoles: ['guest', 'client', 'provider'] },
  { name: 'public-ad', path: ({ ad }) => `/public-ad/${ad.id}`, expectedPage: adPage, checkedRoles: [] },
  {
    name: 'provider-ad',
    path: ({ ad }) => `/provider-ad/${ad.id}`,
    expectedPage: (role, world) => (role === 'guest' ? LOGIN : adPage(role, world)),
    checkedRoles: [],
  },
  {
    name: 'profile',
    checkedRoles: ['client'],
    path: () => '/profile',
    expectedPage: signedIn({
      client: { heading: 'Profile' },
      admin: { heading: 'Profile' },
      provider: { redirectsTo: '/provider-profile', heading: 'Provider Dashboard' },
    }),
  },
  {
    name: 'provider-profile',
    checkedRoles: ['provider', 'client'],
    path: () => '/provider-profile',
    expectedPage: signedIn({
      provider: { heading: 'Provider Dashboard', containedText: 'An evening by the lake' },
      client: { heading: 'Provider Dashboard', containedText: ownAd.providersOnlyTitle },
      admin: { heading: 'Provider Dashboard', containedText: ownAd.providersOnlyTitle },
    }),
  },
  {
    name: 'my-ads',
    checkedRoles: ['provider'],
    path: () => '/my-ads',
    expectedPage: signedIn({
      provider: { heading: listings.myAds, containedText: 'An evening by the lake' },
      client: { heading: listings.myAds, containedText: ownAd.providersOnlyTitle },
      admin: { heading: listings.myAds, containedText: ownAd.providersOnlyTitle },
    }),
  },
  text('favorites', '/favorites', 'Favorites'),
  {
    name: 'decisions',
    checkedRoles: ['provider'],
    path: () => '/account/decisions',
    expectedPage: signedIn({ heading: decisions['decisions.title'] }),
  },
  {
    name: 'decision-by-link',
    path: () => '/decisions/0193a1b2-0000-7000-8000-000000000001',
    expectedPage: same({ heading: decisions['decisions.one'], containedText: decisions['decisions.wholeLink'] }),
  },
  {
    name: 'post-ad',
    checkedRoles: ['provider', 'client'],
    path: () => '/post-ad',
    expectedPage: signedIn({
      provider: { heading: 'Post Your Ad', containedText: 'Ad Already Posted' },
      client: { heading: 'Post Your Ad', containedText: 'Only providers can post ads' },
      admin: { heading: 'Post Your Ad', containedText: 'Only providers can post ads' },
    }),
  },
  {
    name: 'edit',
    checkedRoles: ['guest', 'provider'],
    path: ({ ad }) => `/edit/${ad.id}`,
    expectedPage: (role) => ({
      heading: 'Edit Your Ad',
      containedText:
        role === 'guest' ? 'Account Required' : role === 'provider' ? 'Update Ad' : 'Only the owner can change this ad',
    }),
  },
  {
    name: 'verify-email',
    path: () => '/verify-email',
    expectedPage: (role) => ({
      heading: 'Verify your e-mail',
      containedText: role === 'guest' ? 'No user email found' : 'Your e-mail is verified',
    }),
  },
  text('forgot-password', '/forgot-password', 'Forgot your password?'),
  text('reset-password', '/reset-password', 'Set a new password'),
  {
    name: 'pricing',
    checkedRoles: ['client', 'provider'],
    path: () => '/pricing',
    expectedPage: signedIn({ heading: 'Pricing' }),
  },
  {
    name: 'admin',
    checkedRoles: ['admin'],
    path: () => '/admin',
    expectedPage: signedIn({
      admin: { heading: admin['nav.overview'] },
      moderator: { redirectsTo: '/admin/moderation', heading: admin['nav.moderation'] },
      client: { redirectsTo: '/', heading: homePage.heroTitle },
      provider: { redirectsTo: '/', heading: homePage.heroTitle },
    }),
  },
  {
    name: 'admin-moderation',
    checkedRoles: ['moderator'],
    path: () => '/admin/moderation',
    expectedPage: staffOnly(admin['nav.moderation']),
  },
  {
    name: 'admin-removals',
    checkedRoles: ['moderator'],
    path: () => '/admin/removals',
    expectedPage: staffOnly(admin['nav.removals']),
  },
  {
    name: 'admin-blog',
    checkedRoles: ['admin'],
    path: () => '/admin/blog',
    expectedPage: adminOnly(admin['nav.blog'], ARTICLE.title),
  },
  {
    name: 'admin-blog-empty',
    checkedRoles: ['admin'],
    path: () => '/admin/blog?status=withdrawn',
    expectedPage: adminOnly(admin['nav.blog'], admin['blog.emptyStatus']),
  },
  {
    name: 'admin-article-new',
    checkedRoles: ['admin'],
    path: () => '/admin/blog/new',
    expectedPage: adminOnly(admin['blog.new']),
  },
  {
    name: 'admin-article',
    checkedRoles: ['admin'],
    path: () => `/admin/blog/${ARTICLE.slug}`,
    expectedPage: adminOnly(admin['blog.edit'], admin['blog.status.published']),
  },
  text('privacy', '/privacy', 'Privacy'),
  text('terms', '/terms', 'Terms'),
  text('about', '/about', /^About/u),
  text('help', '/help', /^Help/u),
  text('removal', '/removal', /^Request the removal/u),
  text('removal-unknown', '/removal/0193a1b2-0000-7000-8000-0000000000bb', /removal request/u),
  text('blog', '/blog', /Blog/u),
  text('blog-tag', '/blog?tag=etiquette', /Etiquette/u),
  text('blog-city', '/blog/reno', /Reno/u),
  text('blog-city-empty', '/blog/las-vegas', /Las Vegas/u),
  text('article', `/blog/${ARTICLE.slug}`, ARTICLE.title),
  {
    name: 'article-unknown',
    isMissing: true,
    path: () => '/blog/no-such-article',
    expectedPage: same({ heading: community['blog.unknown'] }),
  },
  text('community', '/community', 'Community'),
  text('community-locations', '/community/locations', community.locationsTitle),
  text('community-country', '/community/us', /United States/u),
  text('community-state', '/community/us/nv', /Nevada/u),
  text('community-city', '/community/us/nv/las-vegas', /Las Vegas/u),
  text('community-city-empty', '/community/us/nv/henderson', /Henderson/u),
  text('community-search', '/community?q=river', 'Community'),
  {
    name: 'community-following',
    checkedRoles: ['client'],
    path: () => '/community?show=following',
    expectedPage: same({ heading: 'Community' }),
  },
  {
    name: 'community-hidden',
    checkedRoles: ['admin'],
    path: () => '/community?show=hidden',
    expectedPage: same({ heading: 'Community' }),
  },
  {
    name: 'community-new-thread',
    checkedRoles: ['guest', 'client'],
    path: () => '/community/us/nv/reno?new=1',
    expectedPage: same({ heading: community['community.startThread'] }),
  },
  {
    name: 'thread',
    checkedRoles: ['guest', 'client', 'admin'],
    path: ({ thread }) => thread.path,
    expectedPage: (_role, { thread }) => ({ heading: thread.title, containedText: 'And in the park, in the morning.' }),
  },
  {
    name: 'thread-by-id',
    checkedRoles: [],
    path: ({ thread }) => `/community/${thread.id}`,
    expectedPage: (_role, { thread }) => ({ redirectsTo: thread.path, heading: thread.title }),
  },
  {
    name: 'thread-unknown',
    isMissing: true,
    path: () => '/community/us/nv/las-vegas/a-walk',
    expectedPage: same({ heading: community.postUnknown }),
  },
  {
    name: 'community-unknown',
    isMissing: true,
    checkedRoles: [],
    path: () => '/community/0123',
    expectedPage: same({ heading: community.postUnknown }),
  },
  text('unsubscribe', '/community/unsubscribe', community['community.unsubscribe']),
  text('front-ends', '/status/front-ends', /front ends/iu),
  {
    name: 'unknown-path',
    checkedRoles: [],
    path: () => '/no/such/page',
    isMissing: true,
    expectedPage: same({ redirectsTo: '/', ...HOME }),
  },
];

/** Returns the locator of the `<h1>` of the page. */
export const headingOf = (page: Page) => page.locator('main h1');
