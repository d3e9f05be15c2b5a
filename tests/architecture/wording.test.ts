import path from 'node:path';
import { expect, test } from 'vitest';
import { catalogFolders } from './catalogs.ts';

const english = catalogFolders(path.resolve(import.meta.dirname, '../..')).flatMap(({ folder, texts }) =>
  Object.entries(texts.en).map(([id, text]) => ({ id: `${folder}: ${id}`, text })),
);

/**
 * Phrases that are no good English, or that name a thing in two ways. Visitors read one word for a thing: "log in", as
 * in the specification, and never "sign in". "Sign up" is the creation of an account.
 */
const CLUMSY: readonly RegExp[] = [
  /You have met\?/iu,
  /The page it stands on/iu,
  /^What it says/iu,
  /As it is judged/iu,
  /Nobody is forced/iu,
  /Half of them decided within/iu,
  /will do so\b/iu,
  /goes from every list at once/iu,
  /cannot be brought back/iu,
  /Leave it standing/iu,
  /\bIn (?:your current|another) network\b/iu,
  /\bWe try again\b/iu,
  /(?<!e-)\bmails\b/iu,
  /\bsign(?:ed|ing|s)?[ -](?:in|out)s?\b/iu,
];

test('the list of texts is complete', () => {
  expect(english.length).toBeGreaterThan(1_000);
});

test.each(CLUMSY)('no English text contains %s', (phrase) => {
  expect(english.filter(({ text }) => phrase.test(text)).map(({ id }) => id)).toEqual([]);
});
