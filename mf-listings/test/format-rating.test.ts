import { describe, expect, it } from 'vitest';
import { formatRating } from '../src/ads/format-rating.ts';

describe('formatRating', () => {
  it('formats each rating in the language of its page, also after another language', () => {
    expect(formatRating(4.25, 'en')).toBe('4.3');
    expect(formatRating(4, 'de')).toBe('4,0');
    expect(formatRating(5, 'en')).toBe('5.0');
    expect(formatRating(3.5, 'fr')).toBe('3,5');
  });
});
