import type { PreloadedPictures } from '@alpenglow/ui/contract';
import { createSourceSet } from '@alpenglow/ui/source-set';
import { parseSegments, matchPattern } from '../pages/segments.ts';
import type { EmbeddedResponse } from './embedded-responses.ts';

/** Maximum number of preloaded pictures. More preloads would compete for bandwidth. */
const MAX_PICTURES = 4;

/**
 * Returns the pictures that a page preloads. They are the cover pictures of the first ads in the list, if the remote
 * declares this for the page. The returned `sources` and `sizes` equal those of the `<img>` elements, so that browsers
 * use the preloaded files.
 */
export function getFirstPictures(
  declared: PreloadedPictures | undefined,
  pathname: string,
  responses: readonly EmbeddedResponse[],
): readonly { readonly sources: string; readonly sizes: string }[] {
  const segments = parseSegments(pathname);
  if (!declared?.pages.some((pattern) => matchPattern(pattern, segments))) return [];
  const { count, sizes } = declared;
  const covers = responses
    .flatMap(({ listed }) => listed.ads.map(({ media }) => media[0]))
    .slice(0, Math.min(count, MAX_PICTURES));
  // A cover picture has AVIF files only when its status is `ready`. Browsers that do not support AVIF ignore the
  // preload.
  return covers.flatMap((cover) =>
    cover?.status === 'ready' ? [{ sources: createSourceSet(cover, 'avif'), sizes }] : [],
  );
}
