import { describe, expect, test } from 'vitest';
import { displayName } from '../../src/account/fields.ts';

describe('a display name', () => {
  test('turns the direction of no words after it', () => {
    expect(displayName.parse('Anna\u2069\u202Efdsa')).toBe('Annafdsa');
    expect(displayName.safeParse(' \u202E\u2069 ').success).toBe(false);
  });
  test('may be of letters that run from right to left, and of emoji', () => {
    expect(displayName.parse('  مريم 👩‍👧 ')).toBe('مريم 👩‍👧');
  });
});
