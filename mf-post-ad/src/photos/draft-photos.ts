import { mediaIdOf, type PhotoView } from '@alpenglow/domain/contracts';
import { itemsOf, type PhotoItem } from './photo-queue.ts';

/** Photos of a draft: sent before the page was reloaded, so that only their URLs are left. */
export function draftPhotos(urls: readonly string[]): readonly PhotoItem[] {
  const photos = urls.flatMap((url): PhotoView[] => {
    const id = mediaIdOf(url);
    return id === null ? [] : [{ id, url, status: 'ready', reason: null, width: 0, height: 0, blur: null }];
  });
  return itemsOf(photos, false);
}
