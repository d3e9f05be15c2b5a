/** Where ads and cities are found; the shell's server names the same addresses in the first HTML. */
export { adPath, cityPath } from '@alpenglow/domain/contracts';

/** All ads of a state: `/listings?state=NV`. */
export function statePath(state: string): string {
  return `/listings?state=${encodeURIComponent(state)}`;
}
