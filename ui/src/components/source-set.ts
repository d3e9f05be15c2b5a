import { PHOTO_WIDTHS_px, type PhotoView } from '@alpenglow/domain/contracts';

/** `<base>/320.avif 320w, …` for a photo's variants; a width the original does not have is told as what it really is. Pure, because the shell's server names the first pictures too. */
export function sourceSet(photo: Pick<PhotoView, 'id' | 'width'>, format: 'avif' | 'webp' | 'jpg'): string {
  const seen = new Set<number>();
  const entries: string[] = [];
  for (const width of PHOTO_WIDTHS_px) {
    const real = photo.width > 0 ? Math.min(width, photo.width) : width;
    if (seen.has(real)) continue;
    seen.add(real);
    entries.push(`/uploads/photos/${photo.id}/${width}.${format} ${real}w`);
  }
  return entries.join(', ');
}
