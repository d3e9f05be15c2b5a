import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { STORED_NAMES } from '../src/pages/reading/stored-names.ts';

const root = path.resolve(import.meta.dirname, '../..');
const KEY = /(?:KEY|PREFIX|COOKIE) = '(?<name>[^']+)'/gu;
/** A name that goes on with what it is kept of: `favorites:${email}`. */
const KEY_OF = /`(?<name>(?:alpenglow|favorites)[a-z.-]*[.:])\$\{/gu;
const named: readonly string[] = Object.values(STORED_NAMES).flat();
const isNamed = (key: string) =>
  named.some((name) => (name.endsWith('…') ? key.startsWith(name.slice(0, -1)) : key === name));

/** The sources of everything that runs in a browser. */
const sources = readdirSync(root)
  .filter((name) => /^(?:shell|ui|mf-[\w-]+)$/u.test(name))
  .map((name) => path.join(root, name, 'src'))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  )
  .filter((file) => /\.tsx?$/u.test(file));

/** The names under which the code of a file keeps something in a browser. */
function keysOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return /getItem|removeItem|cookie/u.test(text)
    ? [...text.matchAll(KEY), ...text.matchAll(KEY_OF)].map(({ groups }) => groups?.['name'] ?? '')
    : [];
}

test('the privacy page names everything that is kept in a browser', () => {
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
