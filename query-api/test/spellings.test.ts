import { expect, test } from 'vitest';
import { editDistance } from '../src/ads/edit-distance.ts';
import { nearbySpellings } from '../src/ads/spellings.ts';

test('the spellings of a word are all words with one missing, added, wrong or swapped letter', () => {
  const spellings = nearbySpellings('opera');
  for (const typed of [
    'pera',
    'oera',
    'oper',
    'xopera',
    'opexra',
    'operas',
    'xpera',
    'opexa',
    'operx',
    'poera',
    'opear',
  ])
    expect(spellings).toContain(typed);
  expect(spellings.every((spelling) => editDistance(spelling, 'opera') === 1)).toBe(true);
  expect(new Set(spellings).size).toBe(spellings.length);
  expect(spellings).not.toContain('opera');
});

test('a number has no other spelling, and no spelling is empty', () => {
  expect(nearbySpellings('2026')).toEqual([]);
  expect(nearbySpellings('a')).not.toContain('');
});
