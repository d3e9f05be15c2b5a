import type { FirstPictures } from '@alpenglow/ui/contract';
import { sourceSet } from '@alpenglow/ui/source-set';
import { segmentsOf, variablesOf } from '../pages/segments.ts';
import type { FirstAnswer } from './first-answers.ts';

/** A page is no faster for more of them. */
const MOST_PICTURES = 4;

/** The pictures a page shows first, as its `<img>`s will ask for them: the covers of the first ads it lists, where the remote says that it shows them. */
export function firstPictures(
  stated: FirstPictures | undefined,
  pathname: string,
  answers: readonly FirstAnswer[],
): readonly { readonly sources: string; readonly sizes: string }[] {
  const segments = segmentsOf(pathname);
  if (!stated?.pages.some((pattern) => variablesOf(pattern, segments))) return [];
  const { count, sizes } = stated;
  const covers = answers
    .flatMap(({ listed }) => listed.ads.map(({ media }) => media[0]))
    .slice(0, Math.min(count, MOST_PICTURES));
  // What is still being made has no variants yet; an older browser, which does not know AVIF, waits for its `<img>`.
  return covers.flatMap((cover) => (cover?.status === 'ready' ? [{ sources: sourceSet(cover, 'avif'), sizes }] : []));
}
