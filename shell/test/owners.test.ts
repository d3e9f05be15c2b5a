import { afterEach, expect, it } from 'vitest';
import { getRedirectPath } from '../src/routes/access-guard.tsx';
import { findArea, registerRoutes, routesOf } from '../src/routes/owners.ts';

it.each([
  ['/', 'mf-listings', 'everyone'],
  ['/listings', 'mf-listings', 'everyone'],
  ['/listings/', 'mf-listings', 'everyone'],
  ['/city/NV/Las%20Vegas', 'mf-listings', 'everyone'],
  ['/escorts/nv/las-vegas/some-title/abc', 'mf-listings', 'everyone'],
  ['/profile', 'mf-listings', 'signed-in'],
  ['/provider-ad/7', 'mf-listings', 'signed-in'],
  ['/my-ads', 'mf-listings', 'signed-in'],
  ['/account/decisions/7', 'mf-listings', 'signed-in'],
  ['/decisions/7', 'mf-listings', 'everyone'],
  ['/help', 'shell', 'everyone'],
  ['/removal', 'shell', 'everyone'],
  ['/removal/7', 'shell', 'everyone'],
  ['/post-ad', 'mf-post-ad', 'signed-in'],
  ['/edit/7', 'mf-post-ad', 'everyone'],
  ['/community', 'mf-community', 'everyone'],
  ['/community/us/nv/las-vegas/a-post', 'mf-community', 'everyone'],
  ['/blog/reno', 'mf-community', 'everyone'],
  ['/admin', 'mf-admin', 'staff'],
  ['/login', 'shell', 'everyone'],
  ['/pricing', 'shell', 'signed-in'],
  // Unknown paths show the home page, which belongs to mf-listings.
  ['/login/else', 'mf-listings', 'everyone'],
  ['/nowhere', 'mf-listings', 'everyone'],
  ['/constructor', 'mf-listings', 'everyone'],
  ['//', 'mf-listings', 'everyone'],
])('%s belongs to %s, access: %s', (path, owner, access) => {
  expect(findArea(path)).toMatchObject({ owner, access });
});

it('the first HTML contains the pages that are the same for everyone, and no others', () => {
  const isServerRendered = (path: string) => findArea(path).isServerRendered;
  const open = [
    '/',
    '/listings',
    '/city/nv/reno',
    '/ad/7',
    '/community',
    '/community/us',
    '/blog/a',
    '/about',
    '/login',
    '/nowhere',
  ];
  const personal = [
    '/favorites',
    '/removal/7',
    '/decisions/7',
    '/account/erasure/7',
    '/edit/7',
    '/profile',
    '/admin',
    '/verify-email',
  ];
  expect(open.filter((path) => !isServerRendered(path))).toEqual([]);
  expect([...personal, '/community/unsubscribe'].filter(isServerRendered)).toEqual([]);
});

it.each([
  [{ from: '/post-ad?x=1#y' }, '/post-ad?x=1#y'],
  [{ from: 'https://elsewhere.example/' }, null],
  [{ from: '//elsewhere.example' }, null],
  [{ from: '/\\elsewhere.example' }, null],
  [{ from: 7 }, null],
  [null, null],
  ['/post-ad', null],
  [{ from: '/\t/elsewhere.example' }, null],
  [{ from: '/\n\\elsewhere.example' }, null],
])('after signing in, %j leads to %j', (state, expected) => {
  expect(getRedirectPath(state)).toBe(expected);
});

afterEach(() => registerRoutes([]));

it('a remote is added by an entry of the registry, and cannot take over the pages of others', () => {
  const remotes = {
    'mf-events': {
      name: 'mf-events',
      hash: '0123456789abcdef',
      contract: '^6.0.0',
      fits: true,
      container: 'mf_events',
      entry: 'remote-entry.js',
      routes: [
        { path: '/events/*', access: 'everyone' },
        { path: '/tickets/{id}', access: 'signed-in' },
        { path: '/admin', access: 'everyone' },
      ],
      preload: [],
      integrity: {},
      sizeBytes: 0,
      deployedAt: '',
    },
  } as const;
  expect(findArea('/events/today').owner).toBe('mf-listings');
  registerRoutes(routesOf({ remotes }));
  expect(findArea('/events/today')).toEqual({ owner: 'mf-events', access: 'everyone', isServerRendered: true });
  expect(findArea('/tickets/7')).toMatchObject({ owner: 'mf-events', access: 'signed-in' });
  expect(findArea('/admin').owner).toBe('mf-admin');
  expect(findArea('/nowhere').owner).toBe('mf-listings');
});
