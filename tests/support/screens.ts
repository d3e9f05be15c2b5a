import type { Page } from 'playwright-core';
import admin from '../../mf-admin/src/locales/en.json';
import moderation from '../../mf-admin/src/moderation/locales/en.json';
import overview from '../../mf-admin/src/overview/locales/en.json';
import community from '../../mf-community/src/locales/en.json';
import decisions from '../../mf-listings/src/decisions/locales/en.json';
import listings from '../../mf-listings/src/locales/en.json';
import { ARTICLE, type Role, type World } from './people.ts';

/** What one role finds at an address. */
export type Finding =
  /** The screen's `<h1>`, and a text that tells it from others with the same heading. */
  | { readonly heading: string | RegExp; readonly says?: string | RegExp }
  /** Led on to another address, where this heading stands. */
  | { readonly goesTo: string; readonly heading: string | RegExp };

/** What screens show of a world. */
export type ShownWorld = Pick<World, 'ad' | 'thread'>;

export interface Screen {
  /** For file names and reports. */
  readonly name: string;
  readonly path: (world: ShownWorld) => string;
  readonly finds: (role: Role, world: ShownWorld) => Finding;
  /** The server says 404 of it: search engines should not keep it. */
  readonly isMissing?: true;
  /** Those whose view of it differs so much that each is looked at; absent: a guest's. */
  readonly lookedAtBy?: readonly Role[];
}

const LOGIN: Finding = { goesTo: '/login', heading: 'Login' };
const HOME: Finding = { heading: listings.heroTitle };

const same =
  (finding: Finding): Screen['finds'] =>
  () =>
    finding;
/** A moderator, who signed up as a client, finds what clients find where nothing else is said. */
type SignedInFindings = Readonly<
  Record<Exclude<Role, 'guest' | 'moderator'>, Finding> & Partial<Record<'moderator', Finding>>
>;
const signedIn =
  (finding: Finding | SignedInFindings): Screen['finds'] =>
  (role) =>
    role === 'guest' ? LOGIN : 'client' in finding ? (finding[role] ?? finding.client) : finding;
const adPage: Screen['finds'] = (_role, { ad }) => ({ heading: ad.title });
const adminOnly = (heading: string, says?: string): Screen['finds'] =>
  signedIn({
    admin: { heading, ...(says !== undefined && { says }) },
    moderator: { heading: admin['for.admin'] },
    client: { goesTo: '/', heading: listings.heroTitle },
    provider: { goesTo: '/', heading: listings.heroTitle },
  });
const staffOnly = (heading: string): Screen['finds'] =>
  signedIn({
    admin: { heading },
    moderator: { heading },
    client: { goesTo: '/', heading: listings.heroTitle },
    provider: { goesTo: '/', heading: listings.heroTitle },
  });
const text = (name: string, address: string, heading: string | RegExp): Screen => ({
  name,
  path: () => address,
  finds: same({ heading }),
});

/** Every address of the specification, section 2, "Routes", and those the product adds, with what each role finds there. */
export const SCREENS: readonly Screen[] = [
  { name: 'home', path: () => '/', finds: same(HOME) },
  {
    name: 'login',
    path: () => '/login',
    finds: (role) =>
      role === 'guest'
        ? { heading: 'Login' }
        : role === 'provider'
          ? { goesTo: '/provider-profile', heading: 'Provider Dashboard' }
          : { goesTo: '/', heading: listings.heroTitle },
  },
  {
    name: 'sign-up',
    path: () => '/signup',
    finds: (role) => (role === 'guest' ? { heading: 'Sign Up' } : { goesTo: '/', heading: listings.heroTitle }),
  },
  text('listings', '/listings', 'Browse ads'),
  text('listings-filtered', '/listings?state=NV&category=escort', /Nevada/u),
  text('listings-empty', '/listings?q=nothing-is-called-so', 'Browse ads'),
  {
    name: 'city',
    lookedAtBy: [],
    path: () => '/city/reno',
    finds: same({ goesTo: '/city/nv/reno', heading: /Reno/u }),
  },
  text('city-of-state', '/city/nv/reno', /Reno/u),
  {
    name: 'city-unknown',
    isMissing: true,
    path: () => '/city/atlantis',
    finds: same({ heading: listings.placeUnknownTitle }),
  },
  {
    name: 'ad-by-place',
    path: ({ ad }) =>
      `/escorts/${ad.state.toLowerCase()}/${ad.city.toLowerCase().replaceAll(' ', '-')}/${ad.title.toLowerCase().replaceAll(/\W+/gu, '-')}/${ad.id}`,
    finds: adPage,
    lookedAtBy: [],
  },
  { name: 'ad', path: ({ ad }) => `/ad/${ad.id}`, finds: adPage, lookedAtBy: ['guest', 'client', 'provider'] },
  { name: 'public-ad', path: ({ ad }) => `/public-ad/${ad.id}`, finds: adPage, lookedAtBy: [] },
  {
    name: 'provider-ad',
    path: ({ ad }) => `/provider-ad/${ad.id}`,
    finds: (role, world) => (role === 'guest' ? LOGIN : adPage(role, world)),
    lookedAtBy: [],
  },
  {
    name: 'profile',
    lookedAtBy: ['client'],
    path: () => '/profile',
    finds: signedIn({
      client: { heading: 'Profile' },
      admin: { heading: 'Profile' },
      provider: { goesTo: '/provider-profile', heading: 'Provider Dashboard' },
    }),
  },
  {
    name: 'provider-profile',
    lookedAtBy: ['provider', 'client'],
    path: () => '/provider-profile',
    finds: signedIn({
      provider: { heading: 'Provider Dashboard', says: 'An evening by the lake' },
      client: { heading: 'Provider Dashboard', says: listings.providersOnlyTitle },
      admin: { heading: 'Provider Dashboard', says: listings.providersOnlyTitle },
    }),
  },
  {
    name: 'my-ads',
    lookedAtBy: ['provider'],
    path: () => '/my-ads',
    finds: signedIn({
      provider: { heading: listings.myAds, says: 'An evening by the lake' },
      client: { heading: listings.myAds, says: listings.providersOnlyTitle },
      admin: { heading: listings.myAds, says: listings.providersOnlyTitle },
    }),
  },
  text('favorites', '/favorites', 'Favorites'),
  {
    name: 'decisions',
    lookedAtBy: ['provider'],
    path: () => '/account/decisions',
    finds: signedIn({ heading: decisions['decisions.title'] }),
  },
  {
    name: 'decision-by-link',
    path: () => '/decisions/0193a1b2-0000-7000-8000-000000000001',
    finds: same({ heading: decisions['decisions.one'], says: decisions['decisions.wholeLink'] }),
  },
  {
    name: 'post-ad',
    lookedAtBy: ['provider', 'client'],
    path: () => '/post-ad',
    finds: signedIn({
      provider: { heading: 'Post Your Ad', says: 'Ad Already Posted' },
      client: { heading: 'Post Your Ad', says: 'Only providers can post ads' },
      admin: { heading: 'Post Your Ad', says: 'Only providers can post ads' },
    }),
  },
  {
    name: 'edit',
    lookedAtBy: ['guest', 'provider'],
    path: ({ ad }) => `/edit/${ad.id}`,
    finds: (role) => ({
      heading: 'Edit Your Ad',
      says:
        role === 'guest' ? 'Account Required' : role === 'provider' ? 'Update Ad' : 'Only the owner can change this ad',
    }),
  },
  {
    name: 'verify-email',
    path: () => '/verify-email',
    finds: (role) => ({
      heading: 'Verify your e-mail',
      says: role === 'guest' ? 'No user email found' : 'Your e-mail is verified',
    }),
  },
  text('forgot-password', '/forgot-password', 'Forgot your password?'),
  text('reset-password', '/reset-password', 'Set a new password'),
  {
    name: 'pricing',
    lookedAtBy: ['client', 'provider'],
    path: () => '/pricing',
    finds: signedIn({ heading: 'Pricing' }),
  },
  {
    name: 'admin',
    lookedAtBy: ['admin'],
    path: () => '/admin',
    finds: signedIn({
      admin: { heading: overview['overview.title'] },
      moderator: { goesTo: '/admin/moderation', heading: moderation['moderation.title'] },
      client: { goesTo: '/', heading: listings.heroTitle },
      provider: { goesTo: '/', heading: listings.heroTitle },
    }),
  },
  {
    name: 'admin-moderation',
    lookedAtBy: ['moderator'],
    path: () => '/admin/moderation',
    finds: staffOnly(moderation['moderation.title']),
  },
  {
    name: 'admin-blog',
    lookedAtBy: ['admin'],
    path: () => '/admin/blog',
    finds: adminOnly(admin['blog.title'], ARTICLE.title),
  },
  {
    name: 'admin-blog-empty',
    lookedAtBy: ['admin'],
    path: () => '/admin/blog?status=withdrawn',
    finds: adminOnly(admin['blog.title'], admin['blog.emptyStatus']),
  },
  {
    name: 'admin-article-new',
    lookedAtBy: ['admin'],
    path: () => '/admin/blog/new',
    finds: adminOnly(admin['blog.new']),
  },
  {
    name: 'admin-article',
    lookedAtBy: ['admin'],
    path: () => `/admin/blog/${ARTICLE.slug}`,
    finds: adminOnly(admin['blog.edit'], admin['blog.status.published']),
  },
  text('privacy', '/privacy', 'Privacy'),
  text('terms', '/terms', 'Terms'),
  text('about', '/about', /^About/u),
  text('help', '/help', /^Help/u),
  text('blog', '/blog', /Blog/u),
  text('blog-tag', '/blog?tag=etiquette', /Etiquette/u),
  text('blog-city', '/blog/reno', /Reno/u),
  text('blog-city-empty', '/blog/las-vegas', /Las Vegas/u),
  text('article', `/blog/${ARTICLE.slug}`, ARTICLE.title),
  {
    name: 'article-unknown',
    isMissing: true,
    path: () => '/blog/no-such-article',
    finds: same({ heading: community['blog.unknown'] }),
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
    lookedAtBy: ['client'],
    path: () => '/community?show=following',
    finds: same({ heading: 'Community' }),
  },
  {
    name: 'community-hidden',
    lookedAtBy: ['admin'],
    path: () => '/community?show=hidden',
    finds: same({ heading: 'Community' }),
  },
  {
    name: 'community-new-thread',
    lookedAtBy: ['guest', 'client'],
    path: () => '/community/us/nv/reno?new=1',
    finds: same({ heading: community['community.startThread'] }),
  },
  {
    name: 'thread',
    lookedAtBy: ['guest', 'client', 'admin'],
    path: ({ thread }) => thread.path,
    finds: (_role, { thread }) => ({ heading: thread.title, says: 'And in the park, in the morning.' }),
  },
  {
    name: 'thread-by-id',
    lookedAtBy: [],
    path: ({ thread }) => `/community/${thread.id}`,
    finds: (_role, { thread }) => ({ goesTo: thread.path, heading: thread.title }),
  },
  {
    name: 'thread-unknown',
    isMissing: true,
    path: () => '/community/us/nv/las-vegas/a-walk',
    finds: same({ heading: community.postUnknown }),
  },
  {
    name: 'community-unknown',
    isMissing: true,
    lookedAtBy: [],
    path: () => '/community/0123',
    finds: same({ heading: community.postUnknown }),
  },
  text('unsubscribe', '/community/unsubscribe', community['community.unsubscribe']),
  text('front-ends', '/status/front-ends', /front ends/iu),
  { name: 'unknown-path', lookedAtBy: [], path: () => '/no/such/page', finds: same(HOME) },
];

/** The `<h1>` of the page that stands in the frame. */
export const headingOf = (page: Page) => page.locator('main h1');
