/** The paths of ads and cities. The web server uses the same functions for the links in the first HTML. */
export { adPath, cityPath } from '@alpenglow/domain/contracts';

/** Returns the path of the page with all ads of a state, e.g. `/listings?state=NV`. */
export function getStatePath(state: string): string {
  return `/listings?state=${encodeURIComponent(state)}`;
}
