import type { RegistryEntry } from '@alpenglow/ui/contract';
import { segmentsOf, variablesOf } from '../pages/segments.ts';
import { placeNamed, placeOfList } from './places.ts';

/** A page asks for few answers, and each in few words. */
const MOST_ANSWERS = 4;
const LONGEST_PATH = 700;

/**
 * The answers of the API that the first screen of an address asks for, as the remote that shows it says in `preloadData`: pattern of a path,
 * with `{names}` for segments → paths below the origin. `{a}` in one stands for a segment of the pattern, `{?a,b}` at its end (RFC 6570) for those of
 * the names that the pattern or the address's query has, in this order; a path without the latter is for addresses without a query. Country, state,
 * city and category are written as in our data; a pattern with a place is passed over where the address names one that we do not have.
 */
export function wantedAnswers(
  preloadData: RegistryEntry['preloadData'],
  pathname: string,
  search: string,
): readonly string[] {
  const segments = segmentsOf(pathname);
  for (const [pattern, paths] of Object.entries(preloadData ?? {})) {
    const variables = variablesOf(pattern, segments);
    if (!variables) continue;
    const values = valuesOf(variables, new URLSearchParams(search));
    if (!values) continue;
    const wanted = paths.slice(0, MOST_ANSWERS).map((path) => filledIn(path, variables, values, search !== ''));
    return wanted.filter((path): path is string => path !== null && path.length <= LONGEST_PATH);
  }
  return [];
}

/** Null where the address names a place we do not have. */
function valuesOf(
  ofPath: Readonly<Record<string, string>>,
  search: URLSearchParams,
): ReadonlyMap<string, string> | null {
  const values = new Map([...search].reverse());
  const { state, city, category } = placeOfList(search);
  const place = { state: state?.code ?? null, city, category };
  for (const [name, value] of Object.entries(place)) {
    if (value === null) values.delete(name);
    else values.set(name, value);
  }
  for (const [name, value] of Object.entries(ofPath)) values.set(name, value);
  const named = placeNamed(ofPath);
  if (!named) return null;
  for (const [name, value] of Object.entries(named)) values.set(name, value);
  return values;
}

function filledIn(
  template: string,
  ofPath: Readonly<Record<string, string>>,
  values: ReadonlyMap<string, string>,
  hasQuery: boolean,
): string | null {
  const [, parts, names] = /^(\/api(?:\/(?:[\w-]+|\{\w+\}))+)(?:\{\?([\w,]+)\})?$/u.exec(template) ?? [];
  if (parts === undefined) return null;
  const path = withSegments(parts, ofPath);
  if (path === null || names === undefined) return hasQuery ? null : path;
  const query = new URLSearchParams(
    names.split(',').flatMap((name) => (values.get(name) ? [[name, values.get(name) ?? '']] : [])),
  ).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** As browsers write them into a path; null where one is missing, or would lead to another path. */
function withSegments(parts: string, ofPath: Readonly<Record<string, string>>): string | null {
  const segments = parts.split('/').map((part) => (part.startsWith('{') ? (ofPath[part.slice(1, -1)] ?? '..') : part));
  if (
    segments
      .slice(1)
      .some((segment) => segment === '' || segment === '.' || segment === '..' || !segment.isWellFormed())
  )
    return null;
  return segments.map(encodeURIComponent).join('/');
}
