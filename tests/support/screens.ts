import type { Page } from 'playwright-core';
import community from '../../mf-community/src/locales/en.json';
import listings from '../../mf-listings/src/locales/en.json';
import type { Role, World } from './people.ts';

/** What one role finds at an address. */
export type Finding =
  /** The screen's `<h1>`, and a text that tells it from others with the same heading. */
  | { readonly heading: string | RegExp; readonly says?: string | RegExp }
  /** Led on to another address, where this heading stands. */
  | { readonly goesTo: string; readonly heading: string | RegExp };

export interface Screen {
  /** For file names and reports. */
  readonly name: string;
  readonly path: (world: Pick<World, 'ad'>) => string;
  readonly finds: (role: Role, world: Pick<World, 'ad'>) => Finding;
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
const signedIn =
  (finding: Finding | Readonly<Record<Exclude<Role, 'guest'>, Finding>>): Screen['finds'] =>
  (role) =>
    role === 'guest' ? LOGIN : 'client' in finding ? finding[role] : finding;
const adPage: Screen['finds'] = (_role, { ad }) => ({ heading: ad.title });
const text = (name: string, address: string, heading: string | RegExp): Screen => ({ name, path: () => address, finds: same({ heading }) });

/** Every address of the specification, section 2, "Routes", and those the product adds, with what each role finds there. */
export const SCREENS: readonly Screen[] = [
  { name: 'home', path: () => '/', finds: same(HOME) },
  {
    name: 'login',
    path: () => '/login',
    finds: (role) => (role === 'guest' ? { heading: 'Login' } : role === 'provider' ? { goesTo: '/provider-profile', heading: 'Provider Dashboard' } : { goesTo: '/', heading: listings.heroTitle }),
  },
  { name: 'sign-up', path: () => '/signup', finds: (role) => (role === 'guest' ? { heading: 'Sign Up' } : { goesTo: '/', heading: listings.heroTitle }) },
  text('listings', '/listings', 'Browse ads'),
  text('listings-filtered', '/listings?state=NV&category=escort', /Nevada/u),
  text('listings-empty', '/listings?q=nothing-is-called-so', 'Browse ads'),
  { name: 'city', lookedAtBy: [], path: () => '/city/reno', finds: same({ goesTo: '/city/nv/reno', heading: /Reno/u }) },
  text('city-of-state', '/city/nv/reno', /Reno/u),
  { name: 'city-unknown', isMissing: true, path: () => '/city/atlantis', finds: same({ heading: listings.placeUnknownTitle }) },
  { name: 'ad-by-place', path: ({ ad }) => `/escorts/${ad.state.toLowerCase()}/${ad.city.toLowerCase().replaceAll(' ', '-')}/${ad.title.toLowerCase().replaceAll(/\W+/gu, '-')}/${ad.id}`, finds: adPage, lookedAtBy: [] },
  { name: 'ad', path: ({ ad }) => `/ad/${ad.id}`, finds: adPage, lookedAtBy: ['guest', 'client', 'provider'] },
  { name: 'public-ad', path: ({ ad }) => `/public-ad/${ad.id}`, finds: adPage, lookedAtBy: [] },
  { name: 'provider-ad', path: ({ ad }) => `/provider-ad/${ad.id}`, finds: (role, world) => (role === 'guest' ? LOGIN : adPage(role, world)), lookedAtBy: [] },
  {
    name: 'profile',
    lookedAtBy: ['client'],
    path: () => '/profile',
    finds: signedIn({ client: { heading: 'Profile' }, admin: { heading: 'Profile' }, provider: { goesTo: '/provider-profile', heading: 'Provider Dashboard' } }),
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
    finds: (role) => ({ heading: 'Edit Your Ad', says: role === 'guest' ? 'Account Required' : role === 'provider' ? 'Update Ad' : 'Only the owner can change this ad' }),
  },
  { name: 'verify-email', path: () => '/verify-email', finds: (role) => ({ heading: 'Verify your e-mail', says: role === 'guest' ? 'No user email found' : 'Your e-mail is verified' }) },
  text('forgot-password', '/forgot-password', 'Forgot your password?'),
  text('reset-password', '/reset-password', 'Set a new password'),
  { name: 'pricing', lookedAtBy: ['client', 'provider'], path: () => '/pricing', finds: signedIn({ heading: 'Pricing' }) },
  {
    name: 'admin',
    lookedAtBy: ['admin'],
    path: () => '/admin',
    finds: signedIn({ admin: { heading: 'Admin Panel' }, client: { goesTo: '/', heading: listings.heroTitle }, provider: { goesTo: '/', heading: listings.heroTitle } }),
  },
  text('privacy', '/privacy', 'Privacy'),
  text('terms', '/terms', 'Terms'),
  text('about', '/about', /^About/u),
  text('blog', '/blog', /Blog/u),
  text('blog-city', '/blog/las-vegas', /Las Vegas/u),
  text('community', '/community', 'Community'),
  text('community-locations', '/community/locations', community.locationsTitle),
  text('community-country', '/community/us', /United States/u),
  text('community-state', '/community/us/nv', /Nevada/u),
  text('community-city', '/community/us/nv/las-vegas', /Las Vegas/u),
  text('community-post-by-place', '/community/us/nv/las-vegas/a-walk', /\w/u),
  text('community-post', '/community/0123', /\w/u),
  text('front-ends', '/status/front-ends', /front ends/iu),
  { name: 'unknown-path', lookedAtBy: [], path: () => '/no/such/page', finds: same(HOME) },
];

/** The `<h1>` of the page that stands in the frame. */
export const headingOf = (page: Page) => page.locator('main h1');
