import type { useText } from '../text.ts';

/** Fraction of the maximum length from which the number of remaining characters is displayed. */
const SHOWN_FROM_share = 0.85;

/**
 * Returns a text with the number of characters that remain or exceed the limit. Returns undefined while there is enough
 * space.
 */
export function formatRemainingLength(t: ReturnType<typeof useText>, value: string, max: number): string | undefined {
  const length = value.trim().length;
  if (length < max * SHOWN_FROM_share) return undefined;
  return length > max ? t('community.tooLong', { count: length - max }) : t('community.left', { count: max - length });
}
