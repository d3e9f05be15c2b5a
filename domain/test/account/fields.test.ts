import { describe, expect, test } from 'vitest';
import { displayName } from '../../src/account/fields.ts';

describe('a display name', () => {
  test('contains no characters that change the direction of other text', () => {
    expect(displayName.parse('Anna\u2069\u202Efdsa')).toBe('Annafdsa');
    expect(displayName.safeParse(' \u202E\u2069 ').success).toBe(false);
  });
  test('may contain right-to-left letters and emoji', () => {
    expect(displayName.parse('  مريم 👩‍👧 ')).toBe('مريم 👩‍👧');
  });
});
