import { COOKIES, LOCAL_KEYS, TAB_KEYS } from '@alpenglow/ui';
import { expect, test } from 'vitest';
import { STORED_NAMES } from '../src/pages/reading/stored-names.ts';

test('the privacy page names every entry that is stored in a browser', () => {
  const named: readonly string[] = Object.values(STORED_NAMES).flat();
  const isNamed = (key: string) =>
    named.some((name) => (name.endsWith('…') ? key.startsWith(name.slice(0, -1)) : key === name));
  const keys = [LOCAL_KEYS, TAB_KEYS, COOKIES].flatMap((names) => Object.values(names));
  expect(keys).toEqual(expect.arrayContaining(['vpsAuthToken', 'locale', 'favorites-known:', 'alpenglow.statement.']));
  expect(keys.filter((key) => !isNamed(key))).toEqual([]);
});
