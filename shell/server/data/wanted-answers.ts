import { findCity } from '@alpenglow/domain/contracts';
import type { RegistryEntry } from '@alpenglow/ui/contract';
import { segmentsOf, variablesOf } from '../pages/segments.ts';
import { placeOfList, stateNamed } from './places.ts';

/** A page asks for few answers, and each in few words. */
const MOST_ANSWERS = 4;
const LONGEST_PATH = 700;

/**
 * The answers of the API that the first screen of an address asks for, as the remote that shows it says in `preloadData`: pattern of a path,
 * with `{names}` for segments → paths below the origin. `{?a,b}` at the end of one (RFC 6570) stands for those of the names that the pattern or the
 * address's query has, in this order; a path without it is for addresses without a query. State, city and category are written as in our data.
 */
export function wantedAnswers(preloadData: RegistryEntry['preloadData'], pathname: string, search: string): readonly string[] {
  const segments = segmentsOf(pathname);
  for (const [pattern, paths] of Object.entries(preloadData ?? {})) {
    const variables = variablesOf(pattern, segments);
    if (!variables) continue;
    const values = valuesOf(variables, new URLSearchParams(search));
    if (!values) return [];
    const wanted = paths.slice(0, MOST_ANSWERS).map((path) => filledIn(path, values, search !== ''));
    return wanted.filter((path): path is string => path !== null && path.length <= LONGEST_PATH);
  }
  return [];
}

/** Null where the address names a place we do not have. */
function valuesOf(ofPath: Readonly<Record<string, string>>, search: URLSearchParams): ReadonlyMap<string, string> | null {
  const values = new Map([...search].reverse());
  const { state, city, category } = placeOfList(search);
  const place = { state: state?.code ?? null, city, category };
  for (const [name, value] of Object.entries(place)) {
    if (value === null) values.delete(name);
    else values.set(name, value);
  }
  for (const [name, value] of Object.entries(ofPath)) values.set(name, value);
  const [pathState, pathCity] = [ofPath['state'], ofPath['city']];
  if (pathCity !== undefined) {
    const found = findCity(pathCity, pathState);
    if (!found) return null;
    values.set('state', found.state.code).set('city', found.city);
  } else if (pathState !== undefined) {
    const found = stateNamed(pathState);
    if (!found) return null;
    values.set('state', found.code);
  }
  return values;
}

function filledIn(template: string, values: ReadonlyMap<string, string>, hasQuery: boolean): string | null {
  const [, path, names] = /^(\/api\/[\w/-]+)(?:\{\?([\w,]+)\})?$/u.exec(template) ?? [];
  if (path === undefined) return null;
  if (names === undefined) return hasQuery ? null : path;
  const query = new URLSearchParams(names.split(',').flatMap((name) => (values.get(name) ? [[name, values.get(name) ?? '']] : []))).toString();
  return query === '' ? path : `${path}?${query}`;
}
