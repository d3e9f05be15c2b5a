import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LOCALES, SOURCE_LOCALE, type Locale } from '@alpenglow/ui/locales';
import { compileMessage } from '@lingui/message-utils/compileMessage';

export type Texts = Readonly<Record<string, string>>;

/** The texts of one package. */
export interface CatalogFolder {
  /** Below the repository, e.g. `shell/src/locales`. */
  readonly folder: string;
  readonly texts: Readonly<Record<Locale, Texts>>;
}

const textsOf = (file: string): Texts => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Texts) : {});
/** What the server says is in English in the server: there is no catalog of it. */
const SERVER_TEXTS = 'ui/src/locales/server';

/** Every folder of catalogs: `locales` anywhere in the sources or the server of a workspace. */
export function catalogFolders(root: string): readonly CatalogFolder[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(root, entry.name, 'package.json')))
    .flatMap(({ name }) => ['src', 'server'].map((part) => path.join(root, name, part)))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name === 'en.json' && path.basename(entry.parentPath) === 'locales')
    .map(({ parentPath }) => ({
      folder: path.relative(root, parentPath),
      texts: Object.fromEntries(
        LOCALES.map((language) => [language, textsOf(path.join(parentPath, `${language}.json`))]),
      ) as Record<Locale, Texts>,
    }));
}

/** Translations of what the server says, each held against the English words it stands under. */
export function serverTextFaults(root: string): readonly string[] {
  const translated = LOCALES.filter((locale) => locale !== SOURCE_LOCALE).map(
    (locale) => [locale, textsOf(path.join(root, SERVER_TEXTS, `${locale}.json`))] as const,
  );
  const ids = Object.keys(translated[0]?.[1] ?? {});
  return translated.flatMap(([locale, texts]) => [
    ...(Object.keys(texts).join('\n') === ids.join('\n')
      ? []
      : [`${SERVER_TEXTS}/${locale}.json: not the texts of the others, or in another order`]),
    ...Object.entries(texts).flatMap(([english, text]) => {
      const given = namesIn(english);
      const unknown = namesIn(text).filter((name) => !given.includes(name));
      // A translation may need a parameter less, or a choice by it that English does without.
      const faults = faultsIn(text, text, locale);
      return [...faults, ...unknown.map((name) => `asks for {${name}}`)].map(
        (fault) => `${SERVER_TEXTS}/${locale}.json: ${english}: ${fault}`,
      );
    }),
  ]);
}

const namesIn = (text: string) => (partsOf(text) ?? []).flatMap((part) => /^\{(\w+)/u.exec(part)?.[1] ?? []);

/** What is wrong with a package's translations, in words; nothing where all is well. */
export function faultsOf({ folder, texts }: CatalogFolder): readonly string[] {
  const ids = Object.keys(texts.en);
  return LOCALES.flatMap((language) => {
    const own = Object.keys(texts[language]);
    const faults = [
      ...ids.filter((id) => !(id in texts[language])).map((id) => `${id}: missing`),
      ...own.filter((id) => !(id in texts.en)).map((id) => `${id}: not in English`),
      ...Object.entries(texts[language]).flatMap(([id, text]) =>
        faultsIn(text, texts.en[id] ?? text, language).map((fault) => `${id}: ${fault}`),
      ),
    ];
    const common = own.filter((id) => id in texts.en);
    const misplaced = common.find((id, index) => id !== ids.filter((one) => one in texts[language])[index]);
    if (misplaced !== undefined) faults.push(`${misplaced}: not at its place, the order is that of English`);
    return faults.map((fault) => `${folder}/${language}.json: ${fault}`);
  });
}

/** What is wrong with one text, held against the English one. */
export function faultsIn(text: string, english: string, language: Locale): readonly string[] {
  if (text.trim() === '') return ['empty'];
  const faults: string[] = [];
  if (text !== text.trim()) faults.push('blank at an end');
  if (text.includes("'")) faults.push('a straight apostrophe, which ICU takes for an escape: write ’');
  if (language === 'de' && text.includes('ß')) faults.push('ß, where Swiss German writes ss');
  if (language === 'fr' && / [:;?!»]|« /u.test(text))
    faults.push('a blank where a line may break before : ; ? ! » or after «: write U+00A0');
  if (language === 'de' ? /[\w}]…/u.test(text) : /\s…/u.test(text))
    faults.push('… stands after a blank (U+00A0) in German, without one in the others');
  const parts = partsOf(text);
  if (parts === null) return [...faults, 'does not compile'];
  const expected = partsOf(english) ?? [];
  const [missing, added] = [
    expected.filter((part) => !parts.includes(part)),
    parts.filter((part) => !expected.includes(part)),
  ];
  if (missing.length > 0) faults.push(`lacks ${missing.join(' ')}`);
  if (added.length > 0) faults.push(`has ${added.join(' ')}, which English has not`);
  return faults;
}

type Token =
  | string
  | readonly [name: string, type?: string, format?: string | Readonly<Record<string, readonly Token[] | number>>];

/** The parameters of a text, with the choices made by them, and its tags; null where it does not compile. */
export function partsOf(text: string): readonly string[] | null {
  const tokens = compileMessage(text) as unknown as readonly Token[];
  // A message that cannot be parsed comes back as it is.
  if (tokens.length === 1 && tokens[0] === text && /[{}]/u.test(text)) return null;
  const parts = new Set<string>();
  const tags: string[] = [];
  const walk = (token: Token): void => {
    if (typeof token === 'string') {
      for (const [tag] of token.matchAll(/<\/?\w+\/?>/gu)) tags.push(tag);
      return;
    }
    const [name, type, format] = token;
    if (name === '#') return;
    const isChoice = type === 'plural' || type === 'select' || type === 'selectordinal';
    parts.add(isChoice ? `{${name}, ${type}}` : `{${name}}`);
    if (typeof format === 'object')
      for (const branch of Object.values(format)) if (typeof branch === 'object') branch.forEach(walk);
  };
  tokens.forEach(walk);
  return areBalanced(tags) ? [...parts, ...new Set(tags)].toSorted() : null;
}

function areBalanced(tags: readonly string[]): boolean {
  const open: string[] = [];
  for (const tag of tags) {
    const name = tag.replaceAll(/[</>]/gu, '');
    if (tag.endsWith('/>')) continue;
    if (!tag.startsWith('</')) open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}
