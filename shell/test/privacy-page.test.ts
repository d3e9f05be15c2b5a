import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { STORED_NAMES } from '../src/pages/reading/stored-names.ts';

const root = path.resolve(import.meta.dirname, '../..');
const KEY = /(?:KEY|PREFIX|COOKIE) = '(?<name>[^']+)'/gu;
/** Matches a storage key with a variable suffix, e.g. `favorites:${email}`. */
const VARIABLE_KEY = /`(?<name>(?:alpenglow|favorites)[a-z.-]*[.:])\$\{/gu;
const named: readonly string[] = Object.values(STORED_NAMES).flat();
const isNamed = (key: string) =>
  named.some((name) => (name.endsWith('…') ? key.startsWith(name.slice(0, -1)) : key === name));

/** The source files of all code that runs in a browser. */
const sources = readdirSync(root)
  .filter((name) => /^(?:shell|ui|mf-[\w-]+)$/u.test(name))
  .map((name) => path.join(root, name, 'src'))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  )
  .filter((file) => /\.tsx?$/u.test(file));

/** Returns the keys under which the code of `file` stores data in a browser. */
function keysOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return /getItem|removeItem|cookie/u.test(text)
    ? [...text.matchAll(KEY), ...text.matchAll(VARIABLE_KEY)].map(({ groups }) => groups?.['name'] ?? '')
    : [];
}

test('the privacy page names every entry that is stored in a browser', () => {
  const keys = sources.flatMap(keysOf);
  expect(keys).toEqual(
    expect.arrayContaining([
      'vpsAuthToken',
      'age_ok',
      'locale',
      'theme',
      'alpenglow.draft.',
      'favorites-known:',
      'alpenglow.statement.',
    ]),
  );
  expect(keys.filter((key) => !isNamed(key))).toEqual([]);
});
