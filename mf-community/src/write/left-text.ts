import type { useText } from '../text.ts';

/** From this share of what fits on, it is said how much is left. */
const NEAR = 0.85;

/** How many characters are left, once it is worth knowing; negative ones are too many. */
export function leftText(t: ReturnType<typeof useText>, value: string, max: number): string | undefined {
  const length = value.trim().length;
  if (length < max * NEAR) return undefined;
  return length > max ? t('community.tooLong', { count: length - max }) : t('community.left', { count: max - length });
}
