import { PHOTO_WIDTHS_px, type PhotoView } from '@alpenglow/domain/contracts';

/**
 * Returns the `srcset` of a photo, e.g. `<base>/320.avif 320w, …`. No entry is wider than the uploaded photo. The
 * function uses no browser APIs, because the server calls it too.
 */
export function createSourceSet(
  photo: Pick<PhotoView, 'id' | 'width'>,
  format: 'avif' | 'webp' | 'jpg',
  access = '',
): string {
  const widths = new Set<number>();
  const entries: string[] = [];
  for (const width of PHOTO_WIDTHS_px) {
    const actualWidth = photo.width > 0 ? Math.min(width, photo.width) : width;
    if (widths.has(actualWidth)) continue;
    widths.add(actualWidth);
    entries.push(`/uploads/photos/${photo.id}/${width}.${format}${access} ${actualWidth}w`);
  }
  return entries.join(', ');
}
