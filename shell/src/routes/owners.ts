/**
 * Maps the paths of the site to their owners. The owner of a path is the package that shows its page.
 * The server also imports this module to preload the files of the owner, so the module has no side effects.
 */
import type { Registry, RemoteRoute } from '@alpenglow/ui/contract';

/** The visitors who may open a page. `staff` are moderators and admins. Other visitors are redirected. */
export type Access = RemoteRoute['access'];

export interface Area {
  /** `shell`, or the name of a remote. */
  readonly owner: string;
  readonly access: Access;
  /** True if the first HTML contains the page. Pages that depend on the visitor are rendered only by the browser. */
  readonly isServerRendered: boolean;
}

const area = (owner: Area['owner'], access: Access = 'everyone'): Area => ({
  owner,
  access,
  isServerRendered: access === 'everyone',
});

/** An area that everyone may open, and that only the browser renders. Most depend on the visitor or on the URL. */
const browserRenderedArea = (owner: Area['owner']): Area => ({ ...area(owner), isServerRendered: false });

/**
 * The areas of the site by path pattern. A name in braces matches one segment, and a final `*` matches any number of
 * segments.
 */
const AREAS: readonly (readonly [pattern: string, area: Area])[] = [
  ['/', area('mf-listings')],
  ['/login', area('shell')],
  ['/signup', area('shell')],
  ['/verify-email', browserRenderedArea('shell')],
  ['/forgot-password', area('shell')],
  ['/reset-password', browserRenderedArea('shell')],
  ['/status/front-ends', browserRenderedArea('shell')],
  ['/pricing', area('shell', 'signed-in')],
  ['/privacy', area('shell')],
  ['/terms', area('shell')],
  ['/about', area('shell')],
  ['/help', area('shell')],
  ['/removal', area('shell')],
  ['/removal/{id}', browserRenderedArea('shell')],
  ['/listings', area('mf-listings')],
  ['/city/{city}', area('mf-listings')],
  ['/city/{state}/{city}', area('mf-listings')],
  ['/escorts/{state}/{city}/{slug}/{id}', area('mf-listings')],
  ['/ad/{id}', area('mf-listings')],
  ['/public-ad/{id}', area('mf-listings')],
  ['/profile', area('mf-listings', 'signed-in')],
  ['/provider-profile', area('mf-listings', 'signed-in')],
  ['/provider-ad/{id}', area('mf-listings', 'signed-in')],
  ['/my-ads', area('mf-listings', 'signed-in')],
  ['/account/erasure/{id}', browserRenderedArea('mf-listings')],
  ['/account/decisions', area('mf-listings', 'signed-in')],
  ['/account/decisions/{id}', area('mf-listings', 'signed-in')],
  ['/decisions/{id}', browserRenderedArea('mf-listings')],
  ['/favorites', browserRenderedArea('mf-listings')],
  ['/post-ad', area('mf-post-ad', 'signed-in')],
  ['/edit/{adId}', browserRenderedArea('mf-post-ad')],
  ['/blog', area('mf-community')],
  ['/blog/{citySlug}', area('mf-community')],
  ['/community/unsubscribe', browserRenderedArea('mf-community')],
  ['/community/*', area('mf-community')],
  ['/admin/*', area('mf-admin', 'staff')],
];

/**
 * Returns the first path of a remote without parameters, e.g. `/community`. It is the home page if there is none.
 * @param routes the pages that the registry assigns to the remote
 */
export function firstPathOf(owner: string, routes: readonly RemoteRoute[] = []): string {
  const patterns = [
    ...AREAS.filter(([, { owner: ofPattern }]) => ofPattern === owner).map(([pattern]) => pattern),
    ...routes.map(({ path }) => path),
  ];
  return patterns.map((pattern) => pattern.replace(/\/\*$/u, '')).find((path) => !path.includes('{')) ?? '/';
}

/** The area of all other paths, which show the home page. */
const ANY_OTHER = area('mf-listings');

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');

/** The remotes that own pages, also those that are not deployed. */
export const OWNERS: readonly string[] = [
  ...new Set(AREAS.map(([, { owner }]) => owner).filter((owner) => owner !== 'shell')),
];

/** The name of the `<meta>` element with the pages that only the registry assigns to remotes. */
export const ROUTES_META = 'alpenglow-routes';

/** The pages that the registry assigns to a remote. */
export interface RegisteredRoute extends RemoteRoute {
  readonly owner: string;
}

/** Returns the pages that the registry assigns to remotes. */
export const routesOf = ({ remotes }: Registry): readonly RegisteredRoute[] =>
  Object.values(remotes).flatMap((entry) =>
    (entry?.routes ?? []).map((route) => ({ ...route, owner: entry?.name ?? '' })),
  );

/** The areas that only a registry assigns to remotes. */
export type RegisteredAreas = readonly ParsedArea[];

/** Returns the areas of remotes that only the registry names. */
export const areasOf = (routes: readonly RegisteredRoute[]): RegisteredAreas =>
  routes.map(({ path, owner, access }) => ({ segments: segmentsOf(path), area: area(owner, access) }));

/** The areas of a process that shows the pages of one registry only, such as a browser. */
let registered: RegisteredAreas = [];

/**
 * Replaces the areas of remotes that only the registry names. The areas of this module come first, so no remote can
 * take over the pages of another one.
 */
export function registerRoutes(routes: readonly RegisteredRoute[]): void {
  registered = areasOf(routes);
}

interface ParsedArea {
  readonly segments: readonly string[];
  readonly area: Area;
}

const PARSED: readonly ParsedArea[] = AREAS.map(([pattern, entry]) => ({ segments: segmentsOf(pattern), area: entry }));

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? path.length < fixed.length : path.length !== fixed.length) return false;
  return fixed.every((segment, index) => segment.startsWith('{') || segment === path[index]);
}

/** Returns true if only the registry assigns a path to a remote. */
export function isRegisteredPath(pathname: string, areas: RegisteredAreas = registered): boolean {
  const path = segmentsOf(pathname);
  return areas.some(({ segments }) => matches(segments, path));
}

/**
 * Returns the area of a path such as `/city/NV/Las%20Vegas`. Unknown paths belong to the home page.
 * @param areas those of the registry of the visitor, on a server whose visitors get different builds
 */
export function findArea(pathname: string, areas: RegisteredAreas = registered): Area {
  const path = segmentsOf(pathname);
  return [...PARSED, ...areas].find(({ segments }) => matches(segments, path))?.area ?? ANY_OTHER;
}

/** Checks whether the site has no page with this path. It then shows the home page. */
export const isUnknownPath = (pathname: string, areas: RegisteredAreas = registered): boolean =>
  findArea(pathname, areas) === ANY_OTHER;

/** Returns the path whose content a path shows: an unknown path shows the home page. */
export const getContentPath = (pathname: string, areas: RegisteredAreas = registered): string =>
  isUnknownPath(pathname, areas) ? '/' : pathname;
