import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LOCALES, SOURCE_LOCALE, type Locale } from '@alpenglow/ui/locales';
import { compileMessage } from '@lingui/message-utils/compileMessage';

type Texts = Readonly<Record<string, string>>;

/** The translations of one package. */
export interface CatalogFolder {
  /** Path of the folder relative to the repository, e.g. `shell/src/locales`. */
  readonly folder: string;
  readonly texts: Readonly<Record<Locale, Texts>>;
}

const textsOf = (file: string): Texts => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Texts) : {});
/** Folder with the translations of server messages. The English messages are in the code of the server. */
const SERVER_TEXTS = 'ui/src/locales/server';

/** Returns the translations of all packages. They are in folders named `locales` below `src` or `server`. */
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

/** Compares the translations of server messages with the English messages. Returns the errors in the translations. */
export function serverTextErrors(root: string): readonly string[] {
  const translated = LOCALES.filter((locale) => locale !== SOURCE_LOCALE).map(
    (locale) => [locale, textsOf(path.join(root, SERVER_TEXTS, `${locale}.json`))] as const,
  );
  const ids = Object.keys(translated[0]?.[1] ?? {});
  return translated.flatMap(([locale, texts]) => [
    ...(Object.keys(texts).join('\n') === ids.join('\n')
      ? []
      : [`${SERVER_TEXTS}/${locale}.json: the texts or their order differ from the other languages`]),
    ...Object.entries(texts).flatMap(([english, text]) => {
      const englishNames = namesIn(english);
      const unknown = namesIn(text).filter((name) => !englishNames.includes(name));
      // A translation may omit a parameter or add a plural form. It is therefore compared with itself, which finds only
      // errors such as invalid syntax.
      const errors = textErrorsOf(text, text, locale);
      return [...errors, ...unknown.map((name) => `unknown parameter {${name}}`)].map(
        (error) => `${SERVER_TEXTS}/${locale}.json: ${english}: ${error}`,
      );
    }),
  ]);
}

const namesIn = (text: string) => (messagePartsOf(text) ?? []).flatMap((part) => /^\{(\w+)/u.exec(part)?.[1] ?? []);

/** Returns the errors in the translations of a package. The result is empty if there are none. */
export function catalogErrorsOf({ folder, texts }: CatalogFolder): readonly string[] {
  const ids = Object.keys(texts.en);
  return LOCALES.flatMap((language) => {
    const languageIds = Object.keys(texts[language]);
    const errors = [
      ...ids.filter((id) => !(id in texts[language])).map((id) => `${id}: missing`),
      ...languageIds.filter((id) => !(id in texts.en)).map((id) => `${id}: not in English`),
      ...Object.entries(texts[language]).flatMap(([id, text]) =>
        textErrorsOf(text, texts.en[id] ?? text, language).map((error) => `${id}: ${error}`),
      ),
    ];
    const common = languageIds.filter((id) => id in texts.en);
    const misplaced = common.find((id, index) => id !== ids.filter((one) => one in texts[language])[index]);
    if (misplaced !== undefined) errors.push(`${misplaced}: not in the order of the English file`);
    return errors.map((error) => `${folder}/${language}.json: ${error}`);
  });
}

/** Returns the errors of a translated text in comparison with the English text. */
export function textErrorsOf(text: string, english: string, language: Locale): readonly string[] {
  if (text.trim() === '') return ['empty'];
  const errors: string[] = [];
  if (text !== text.trim()) errors.push('leading or trailing space');
  if (text.includes("'")) errors.push('a straight apostrophe, which is an escape character in ICU: use ’');
  if (language === 'de' && text.includes('ß')) errors.push('ß instead of ss, which Swiss German uses');
  if (language === 'fr' && / [:;?!»]|« /u.test(text))
    errors.push('a breaking space before : ; ? ! » or after «: use U+00A0');
  if (language === 'de' ? /[\w}]…/u.test(text) : /\s…/u.test(text))
    errors.push('… follows a space (U+00A0) in German and no space in other languages');
  const parts = messagePartsOf(text);
  if (parts === null) return [...errors, 'does not compile'];
  const expected = messagePartsOf(english) ?? [];
  const [missing, added] = [
    expected.filter((part) => !parts.includes(part)),
    parts.filter((part) => !expected.includes(part)),
  ];
  if (missing.length > 0) errors.push(`missing ${missing.join(' ')}`);
  if (added.length > 0) errors.push(`${added.join(' ')} is not in the English text`);
  return errors;
}

type Token =
  | string
  | readonly [name: string, type?: string, format?: string | Readonly<Record<string, readonly Token[] | number>>];

/** Returns the parameters, choices and tags of a text, or null if it does not compile. */
export function messagePartsOf(text: string): readonly string[] | null {
  const tokens = compileMessage(text) as unknown as readonly Token[];
  // If a text contains braces and the compiler returns it unchanged, the text is invalid.
  if (tokens.length === 1 && tokens[0] === text && /[{}]/u.test(text)) return null;
  const parts = new Set<string>();
  const tags: string[] = [];
  const visit = (token: Token): void => {
    if (typeof token === 'string') {
      for (const [tag] of token.matchAll(/<\/?\w+\/?>/gu)) tags.push(tag);
      return;
    }
    const [name, type, format] = token;
    if (name === '#') return;
    const isChoice = type === 'plural' || type === 'select' || type === 'selectordinal';
    parts.add(isChoice ? `{${name}, ${type}}` : `{${name}}`);
    if (typeof format === 'object')
      for (const branch of Object.values(format)) if (typeof branch === 'object') branch.forEach(visit);
  };
  tokens.forEach(visit);
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
