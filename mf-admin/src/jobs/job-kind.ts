import { translateOr, type useText } from '../text.ts';

/** Returns the name of a kind of jobs, or the kind itself if it has no translation. */
export function formatJobKind(t: ReturnType<typeof useText>, kind: string): string {
  return translateOr(t, `jobs.kind.${kind}`, kind);
}
