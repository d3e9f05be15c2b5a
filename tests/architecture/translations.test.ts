import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { LOCALES } from '@alpenglow/ui/locales';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { catalogFolders, faultsIn, faultsOf, partsOf, serverTextFaults } from './catalogs.ts';
import { sourcesBelow, wordsOf, wordsOfFile } from './words-in-sources.ts';

const root = path.resolve(import.meta.dirname, '../..');
const catalogs = catalogFolders(root);
/** Folders with texts that people see. */
const BROWSER = readdirSync(root).filter(
  (name) => /^(?:ui|shell|mf-[\w-]+)$/u.test(name) && existsSync(path.join(root, name, 'src')),
);
const partOf = (folder: string) => folder.split('/').slice(0, 2).join('/');

const sources = new Map(
  [...new Set([...BROWSER.map((name) => `${name}/src`), ...catalogs.map(({ folder }) => partOf(folder))])].map(
    (part) => [part, sourcesBelow(path.join(root, part)).map((file) => wordsOfFile(file, root))],
  ),
);
const isUsedIn = (part: string) => {
  const words = sources.get(part) ?? [];
  return (id: string) =>
    words.some(({ strings, patterns }) => strings.has(id) || patterns.some((pattern) => pattern.test(id)));
};

test('every package that people see has catalogs', () => {
  expect(catalogs.map(({ folder }) => folder)).toEqual(
    expect.arrayContaining(BROWSER.map((name) => `${name}/src/locales`)),
  );
});

test.each(catalogs)('$folder says the same in every language', (catalog) => {
  expect(faultsOf(catalog)).toEqual([]);
});

test.each(catalogs)('every text of $folder is used', ({ folder, texts }) => {
  const part = partOf(folder);
  // What all packages share may be used by any of them.
  const users = part === 'ui/src' ? [...sources.keys()].map(isUsedIn) : [isUsedIn(part)];
  expect(Object.keys(texts.en).filter((id) => !users.some((isUsed) => isUsed(id)))).toEqual([]);
});

test('what the server says is translated alike', () => {
  expect(serverTextFaults(root)).toEqual([]);
});

test.each([...sources.keys()])('an id of %s means one text', (part) => {
  const folders = catalogs.filter(
    ({ folder }) => folder.startsWith(`${part}/`) || (part.endsWith('/src') && folder.startsWith('ui/src/')),
  );
  const ids = folders.flatMap(({ texts }) => Object.keys(texts.en));
  expect(ids).not.toEqual([]);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test.each([...sources.keys()])('no words in the code of %s', (part) => {
  expect((sources.get(part) ?? []).flatMap(({ literalWords }) => literalWords)).toEqual([]);
});

/** Titles of the first HTML, and what the pages call themselves once they run: a tab's name must not change on the way. */
const TITLES = [
  ['homeTitle', 'mf-listings/src', 'heroTitle'],
  ['listings', 'mf-listings/src', 'listTitle'],
  ['listingsIn', 'mf-listings/src', 'listTitleIn'],
  ['categoryAds', 'mf-listings/src', 'categoryTitle'],
  ['categoryAdsIn', 'mf-listings/src', 'categoryTitleIn'],
  ['placeUnknown', 'mf-listings/src', 'placeUnknownTitle'],
  ['dashboard', 'mf-listings/src', 'dashboard'],
  ['myAds', 'mf-listings/src', 'myAds'],
  ['decisions', 'mf-listings/src', 'decisions.title'],
  ['favorites', 'mf-listings/src', 'favorites'],
  ['profile', 'mf-listings/src', 'profile'],
  ['postAd', 'mf-post-ad/src', 'postTitle'],
  ['editAd', 'mf-post-ad/src', 'editTitle'],
  ['community', 'mf-community/src', 'community'],
  ['communityIn', 'mf-community/src', 'communityIn'],
  ['communityLocations', 'mf-community/src', 'locationsTitle'],
  ['blog', 'mf-community/src', 'blog'],
  ['blogIn', 'mf-community/src', 'blogIn'],
  ['admin', 'mf-admin/src', 'title'],
  ['login', 'shell/src', 'auth.loginTitle'],
  ['signup', 'shell/src', 'auth.signUpTitle'],
  ['verifyEmail', 'shell/src', 'auth.verifyTitle'],
  ['forgotPassword', 'shell/src', 'auth.forgotTitle'],
  ['resetPassword', 'shell/src', 'auth.resetTitle'],
  ['pricing', 'shell/src', 'pricing.title'],
  ['privacy', 'shell/src', 'privacy.title'],
  ['terms', 'shell/src', 'terms.title'],
  ['about', 'shell/src', 'about.title'],
  ['help', 'shell/src', 'help.title'],
  ['frontEnds', 'shell/src', 'frontEnds.title'],
] as const;

test.each(TITLES)('the first HTML’s title %s is that of the page: %s %s', (id, part, pageId) => {
  const saying = (inPart: string, textId: string) => {
    const texts = catalogs.find(({ folder, texts: { en } }) => folder.startsWith(`${inPart}/`) && textId in en)?.texts;
    return LOCALES.map((locale) => texts?.[locale][textId]);
  };
  expect(saying('shell/server', id)).toEqual(saying(part, pageId));
  expect(saying('shell/server', id)).not.toContain(undefined);
});

describe('a fault is seen', () => {
  beforeEach(() => {
    // The compiler tells the console of a text it cannot read.
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });

  const english = { en: { a: 'Hello {name}', b: 'Bye' } };
  test.each([
    [
      {
        de: { a: 'Hallo {name}' },
        fr: { a: 'Bonjour {name}', b: 'Salut', c: 'Trop' },
        it: { b: 'Addio', a: 'Buongiorno {name}' },
      },
      [
        'x/de.json: b: missing',
        'x/fr.json: c: not in English',
        'x/it.json: b: not at its place, the order is that of English',
      ],
    ],
    [
      {
        de: { a: 'Hallo', b: 'Gruß' },
        fr: { a: 'Bonjour {nom}', b: '' },
        it: { a: 'Buongiorno {name', b: "L'addio " },
      },
      [
        'x/de.json: a: lacks {name}',
        'x/de.json: b: ß, where Swiss German writes ss',
        'x/fr.json: a: lacks {name}',
        'x/fr.json: a: has {nom}, which English has not',
        'x/fr.json: b: empty',
        'x/it.json: a: does not compile',
        'x/it.json: b: blank at an end',
        'x/it.json: b: a straight apostrophe, which ICU takes for an escape: write ’',
      ],
    ],
  ])('%#', (others, faults) => {
    expect(faultsOf({ folder: 'x', texts: { ...english, ...others } })).toEqual(faults);
  });

  test('in parameters, choices and tags', () => {
    expect(partsOf('{count, plural, one {# ad of {name}} other {# ads}} <mail>here</mail><br/>')).toEqual([
      '</mail>',
      '<br/>',
      '<mail>',
      '{count, plural}',
      '{name}',
    ]);
    expect(partsOf('<mail>here')).toBeNull();
    expect(faultsIn('{count} Inserate', '{count, plural, one {# ad} other {# ads}}', 'de')).toEqual([
      'lacks {count, plural}',
      'has {count}, which English has not',
    ]);
  });

  test('among words in the code', () => {
    const source = `
      const links = [{ to: '/', label: 'Home' }, { to: '/a', label: 'nav.about' }];
      if (!host) throw new Error('No host is there');
      say('Please log in first');
      export const Page = () => <main aria-label="Main"><h1>{isNew ? 'New' : t('old')}</h1> · {count} Ads <Field hint={\`\${n} left\`} kind="text" title={t('title')} /></main>;`;
    const { literalWords, strings } = wordsOf(source, 'page.tsx');
    expect(literalWords).toEqual([
      "page.tsx:2: 'Home'",
      "page.tsx:4: 'Please log in first'",
      "page.tsx:5: 'Main'",
      "page.tsx:5: 'New'",
      "page.tsx:5: 'Ads'",
      "page.tsx:5: 'left'",
    ]);
    expect(
      wordsOf('send(`<p class="lead">Hello ${name}</p><b>${t("x")}</b>`, "Not found")', 'shell/server/a.ts')
        .literalWords,
    ).toEqual(["shell/server/a.ts:1: 'Hello'"]);
    expect(strings).toContain('old');
    expect(
      wordsOf('t(`categories.${category}`)', 'a.ts').patterns.map((pattern) => [
        pattern.test('categories.massage'),
        pattern.test('category'),
      ]),
    ).toEqual([[true, false]]);
  });
});
