import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { LOCALES } from '@alpenglow/ui/locales';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { catalogFolders, textErrorsOf, catalogErrorsOf, messagePartsOf, serverTextErrors } from './catalogs.ts';
import { sourcesBelow, sourceTextsOf, sourceTextsOfFile } from './source-texts.ts';

const root = path.resolve(import.meta.dirname, '../..');
const catalogs = catalogFolders(root);
/** Packages with texts for visitors. */
const BROWSER = readdirSync(root).filter(
  (name) => /^(?:ui|shell|mf-[\w-]+)$/u.test(name) && existsSync(path.join(root, name, 'src')),
);
const partOf = (folder: string) => folder.split('/').slice(0, 2).join('/');

const sources = new Map(
  [...new Set([...BROWSER.map((name) => `${name}/src`), ...catalogs.map(({ folder }) => partOf(folder))])].map(
    (part) => [part, sourcesBelow(path.join(root, part)).map((file) => sourceTextsOfFile(file, root))],
  ),
);
const isUsedIn = (part: string) => {
  const words = sources.get(part) ?? [];
  return (id: string) =>
    words.some(({ strings, patterns }) => strings.has(id) || patterns.some((pattern) => pattern.test(id)));
};

test('every package with texts for visitors has translations', () => {
  expect(catalogs.map(({ folder }) => folder)).toEqual(
    expect.arrayContaining(BROWSER.map((name) => `${name}/src/locales`)),
  );
});

test.each(catalogs)('$folder has equivalent texts in every language', (catalog) => {
  expect(catalogErrorsOf(catalog)).toEqual([]);
});

test.each(catalogs)('every text of $folder is used in the code', ({ folder, texts }) => {
  const part = partOf(folder);
  // Texts in ui/src are shared, so any package may use them.
  const users = part === 'ui/src' ? [...sources.keys()].map(isUsedIn) : [isUsedIn(part)];
  expect(Object.keys(texts.en).filter((id) => !users.some((isUsed) => isUsed(id)))).toEqual([]);
});

test('messages of the server are translated into every language', () => {
  expect(serverTextErrors(root)).toEqual([]);
});

test.each([...sources.keys()])('an id of %s identifies one text', (part) => {
  const folders = catalogs.filter(
    ({ folder }) => folder.startsWith(`${part}/`) || (part.endsWith('/src') && folder.startsWith('ui/src/')),
  );
  const ids = folders.flatMap(({ texts }) => Object.keys(texts.en));
  expect(ids).not.toEqual([]);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test.each([...sources.keys()])('the code of %s contains no texts for visitors', (part) => {
  expect((sources.get(part) ?? []).flatMap(({ untranslatedTexts }) => untranslatedTexts)).toEqual([]);
});

/**
 * Ids of titles in the first HTML and in the running page. Both titles must be equal, so that the title of the tab does
 * not change while the page loads.
 */
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
  ['removal', 'shell/src', 'removal.title'],
  ['removalStatus', 'shell/src', 'removal.yours'],
  ['frontEnds', 'shell/src', 'frontEnds.title'],
] as const;

test.each(TITLES)('the title %s of the first HTML equals the title of the page: %s %s', (id, part, pageId) => {
  const textsOf = (inPart: string, textId: string) => {
    const texts = catalogs.find(({ folder, texts: { en } }) => folder.startsWith(`${inPart}/`) && textId in en)?.texts;
    return LOCALES.map((locale) => texts?.[locale][textId]);
  };
  expect(textsOf('shell/server', id)).toEqual(textsOf(part, pageId));
  expect(textsOf('shell/server', id)).not.toContain(undefined);
});

describe('the check of translations reports', () => {
  beforeEach(() => {
    // The compiler logs an error for an invalid text, so the console is silent here.
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
      ['x/de.json: b: missing', 'x/fr.json: c: not in English', 'x/it.json: b: not in the order of the English file'],
    ],
    [
      {
        de: { a: 'Hallo', b: 'Gruß' },
        fr: { a: 'Bonjour {nom}', b: '' },
        it: { a: 'Buongiorno {name', b: "L'addio " },
      },
      [
        'x/de.json: a: missing {name}',
        'x/de.json: b: ß instead of ss, which Swiss German uses',
        'x/fr.json: a: missing {name}',
        'x/fr.json: a: {nom} is not in the English text',
        'x/fr.json: b: empty',
        'x/it.json: a: does not compile',
        'x/it.json: b: leading or trailing space',
        'x/it.json: b: a straight apostrophe, which is an escape character in ICU: use ’',
      ],
    ],
  ])('errors in translation files, example %#', (others, errors) => {
    expect(catalogErrorsOf({ folder: 'x', texts: { ...english, ...others } })).toEqual(errors);
  });

  test('different parameters, choices and tags', () => {
    expect(messagePartsOf('{count, plural, one {# ad of {name}} other {# ads}} <mail>here</mail><br/>')).toEqual([
      '</mail>',
      '<br/>',
      '<mail>',
      '{count, plural}',
      '{name}',
    ]);
    expect(messagePartsOf('<mail>here')).toBeNull();
    expect(textErrorsOf('{count} Inserate', '{count, plural, one {# ad} other {# ads}}', 'de')).toEqual([
      'missing {count, plural}',
      '{count} is not in the English text',
    ]);
  });

  test('texts for visitors in the code', () => {
    const source =
      `
      const links = [{ to: '/', label: 'Home' }, { to: '/a', label: 'nav.about' }];
      if (!host) throw new Error('No host is there');
      say('Please log in first');
      export const Page = () => <main aria-label="Main"><h1>{isNew ? 'New' : t('old')}</h1> · {count} Ads ` +
      `<Field hint={\`\${n} left\`} kind="text" title={t('title')} /></main>;`;
    const { untranslatedTexts, strings } = sourceTextsOf(source, 'page.tsx');
    expect(untranslatedTexts).toEqual([
      "page.tsx:2: 'Home'",
      "page.tsx:4: 'Please log in first'",
      "page.tsx:5: 'Main'",
      "page.tsx:5: 'New'",
      "page.tsx:5: 'Ads'",
      "page.tsx:5: 'left'",
    ]);
    expect(
      sourceTextsOf('send(`<p class="lead">Hello ${name}</p><b>${t("x")}</b>`, "Not found")', 'shell/server/a.ts')
        .untranslatedTexts,
    ).toEqual(["shell/server/a.ts:1: 'Hello'"]);
    expect(strings).toContain('old');
    expect(
      sourceTextsOf('t(`categories.${category}`)', 'a.ts').patterns.map((pattern) => [
        pattern.test('categories.massage'),
        pattern.test('category'),
      ]),
    ).toEqual([[true, false]]);
  });
});
