import type { RegistryEntry } from '@alpenglow/ui/contract';
import { parseSegments, matchPattern } from '../pages/segments.ts';
import { findPlace, parseListPlace } from './places.ts';

/** Upper limits for the API paths that a remote declares. Valid declarations are far below these limits. */
const MAX_RESPONSES = 4;
const MAX_PATH_LENGTH = 700;

/**
 * Returns the API paths that the first screen of a page requests. The remote that shows the page declares them in
 * `preloadData`, by path pattern of the page. In an API path, `{a}` is replaced by the segment of the page's path with
 * this name. `{?a,b}` at the end (RFC 6570) is replaced by those of the listed query parameters that the page's URL
 * contains. With `{?!a,b}`, the API path is used only if the URL contains one of them. An API path without `{?…}` is
 * used only if the URL has no query. Places and categories are converted to the values that the API uses. If the URL
 * contains an unknown place, patterns with a place do not match.
 */
export function getPreloadPaths(
  preloadData: RegistryEntry['preloadData'],
  pathname: string,
  search: string,
): readonly string[] {
  const segments = parseSegments(pathname);
  for (const [pattern, paths] of Object.entries(preloadData ?? {})) {
    const variables = matchPattern(pattern, segments);
    if (!variables) continue;
    const values = valuesOf(variables, new URLSearchParams(search));
    if (!values) continue;
    const expandedPaths = paths
      .slice(0, MAX_RESPONSES)
      .map((path) => expandTemplate(path, variables, values, search !== ''));
    return expandedPaths.filter((path): path is string => path !== null && path.length <= MAX_PATH_LENGTH);
  }
  return [];
}

/**
 * Returns the values of the path variables and of the query parameters by name. Returns null if the path contains an
 * unknown place.
 */
function valuesOf(
  pathVariables: Readonly<Record<string, string>>,
  search: URLSearchParams,
): ReadonlyMap<string, string> | null {
  // The front ends remove spaces around a search text.
  const values = new Map([...search].map(([name, value]) => [name, value.trim()] as const).reverse());
  const { state, city, category } = parseListPlace(search);
  const place = { state: state?.code ?? null, city, category };
  for (const [name, value] of Object.entries(place)) {
    if (value === null) values.delete(name);
    else values.set(name, value);
  }
  for (const [name, value] of Object.entries(pathVariables)) values.set(name, value);
  const named = findPlace(pathVariables);
  if (!named) return null;
  for (const [name, value] of Object.entries(named)) values.set(name, value);
  return values;
}

function expandTemplate(
  template: string,
  pathVariables: Readonly<Record<string, string>>,
  values: ReadonlyMap<string, string>,
  hasQuery: boolean,
): string | null {
  const [, parts, required, names] = /^(\/api(?:\/(?:[\w-]+|\{\w+\}))+)(?:\{\?(!?)([\w,]+)\})?$/u.exec(template) ?? [];
  if (parts === undefined) return null;
  const path = withSegments(parts, pathVariables);
  if (path === null || names === undefined) return hasQuery ? null : path;
  const query = new URLSearchParams(
    names.split(',').flatMap((name) => (values.get(name) ? [[name, values.get(name) ?? '']] : [])),
  ).toString();
  if (query === '') return required === '!' ? null : path;
  return `${path}?${query}`;
}

/**
 * Replaces the variables in an API path, and encodes the segments as browsers do. Returns null if a variable has no
 * value or an unsafe value such as `..`.
 */
function withSegments(parts: string, pathVariables: Readonly<Record<string, string>>): string | null {
  const segments = parts
    .split('/')
    .map((part) => (part.startsWith('{') ? (pathVariables[part.slice(1, -1)] ?? '..') : part));
  if (
    segments
      .slice(1)
      .some((segment) => segment === '' || segment === '.' || segment === '..' || !segment.isWellFormed())
  )
    return null;
  return segments.map(encodeURIComponent).join('/');
}
