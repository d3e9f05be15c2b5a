import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ERRORS, newAdFields } from '@alpenglow/domain/contracts';
import { activateLocale, loadLocale } from '../src/i18n/i18n.ts';
import { LOCALES, SOURCE_LOCALE } from '../src/i18n/locales.ts';
import { serverText, valuesIn } from '../src/i18n/server-text.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Where words stand that a visitor may be shown, beside the error catalogue. */
const RULE_FILES = [
  'domain/src/account/fields.ts',
  'domain/src/listing/fields.ts',
  'domain/src/favorites/fields.ts',
  'domain/src/thread/fields.ts',
  'domain/src/follows/fields.ts',
  'domain/src/report/fields.ts',
  'domain/src/article/fields.ts',
  'domain/src/hiding-rule/fields.ts',
  'domain/src/article/decide.ts',
  'domain/src/media/fields.ts',
  'query-api/src/ads/list-query.ts',
  'query-api/src/ads/routes.ts',
  'query-api/src/admin/page-query.ts',
];
/** Says nothing in words, or is never said as it stands. */
const isWordless = (message: string) => /^(?:HTTP \d+|\{\w+\})$/u.test(message);

const errors = Object.values(ERRORS)
  .map(({ message }) => message)
  .filter((message) => !isWordless(message));
const sourceOf = (file: string) => readFileSync(path.join(root, file), 'utf8');
/** What the rules of texts say is composed with the words that the other files call them with. */
const TEXT_RULES = sourceOf('domain/src/text-fields.ts');
const rules = RULE_FILES.flatMap((file) => textsIn(sourceOf(file) + TEXT_RULES));
const others = LOCALES.filter((locale) => locale !== SOURCE_LOCALE);

beforeAll(async () => {
  await Promise.all(others.map(loadLocale));
});
afterEach(() => activateLocale(SOURCE_LOCALE));

describe.each(others)('in %s', (locale) => {
  test.each([...new Set([...errors, ...rules])])('%s', (text) => {
    activateLocale(locale);
    expect(serverText(filled(text))).not.toBe(filled(text));
  });
});

test('what a rule without words of its own says is translated too', async () => {
  // As in a browser, which has no words of Zod's own: servers load them for the whole process, and so may have a test that ran here before.
  const { config } = await vi.importActual<{
    config(next?: { localeError: unknown }): { readonly localeError?: unknown };
  }>('zod/mini');
  const { localeError } = config();
  config({ localeError: undefined });
  onTestFinished(() => void config({ localeError }));
  activateLocale('de');
  expect(newAdFields.safeParse(null).error?.issues.map(({ message }) => serverText(message))).toEqual([
    'Ungültige Angabe',
  ]);
});

test('texts are found, composed ones with every word they are composed of', () => {
  expect(rules).toEqual(
    expect.arrayContaining([
      'Please enter a display name',
      'Password must be at least 7 characters',
      'Comment must be at most 7 characters',
      'TikTok must be at most 7 characters',
      'TikTok must be a handle or a web address',
    ]),
  );
  expect(
    textsIn(
      'const say = (what: string, n: number) => `${what} is ${n} too long`; say("Hair", LENGTH); say("Beard", 3);',
    ),
  ).toEqual(['Hair is 7 too long', 'Beard is 7 too long']);
});

test('a text nobody has translated stays as it is', () => {
  activateLocale('de');
  expect(serverText('A sentence of another server')).toBe('A sentence of another server');
});

describe('parameters', () => {
  test('go over into the translation, in its own forms', () => {
    const text = (seconds: number) => `Too many requests. Please try again in ${seconds} seconds.`;
    expect(serverText(text(12))).toBe(text(12));
    activateLocale('de');
    expect(serverText(text(12))).toBe('Zu viele Anfragen. Bitte versuchen Sie es in 12 Sekunden noch einmal.');
    expect(serverText(text(1))).toBe('Zu viele Anfragen. Bitte versuchen Sie es in 1 Sekunde noch einmal.');
    activateLocale('fr');
    expect(serverText('Display name must be at most 60 characters')).toBe(
      'Le nom affiché doit compter au plus 60 caractères',
    );
  });

  test('a wait is said in the visitor’s words', () => {
    activateLocale('it');
    expect(serverText('You can bump your ad again in 11 min', 661)).toBe(
      'Potrà riportare in alto il Suo annuncio tra 12 minuti',
    );
    expect(serverText('You can bump your ad again in 9 s', 9)).toBe(
      'Potrà riportare in alto il Suo annuncio tra 9 secondi',
    );
  });

  test('a name of its own goes before the pattern that would fit too', () => {
    activateLocale('de');
    expect(serverText('Title must be at most 120 characters')).toBe('Der Titel darf höchstens 120 Zeichen lang sein');
    expect(serverText('TikTok must be at most 200 characters')).toBe('TikTok: höchstens 200 Zeichen');
  });

  test('are read from a text by its pattern', () => {
    expect(valuesIn('In 3 (or 4) days', 'In {a} (or {b}) days')).toEqual({ a: '3', b: '4' });
    expect(valuesIn('In 3 days', 'In {a} weeks')).toBeNull();
  });
});

/** An example of a text with parameters. */
function filled(text: string): string {
  return text.replaceAll(/\{\w+\}/gu, '7');
}

/**
 * The sentences in a source: its string literals and templates that begin with two words. A parameter of the function around a template
 * stands for each literal the function is called with; anything else that is filled in stands for 7.
 */
function textsIn(source: string): readonly string[] {
  const file = ts.createSourceFile('rules.ts', source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) found.push(node.text);
    if (ts.isTemplateExpression(node)) found.push(...variants(node, file));
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found.filter((text) => /^\w+ [a-z]+/u.test(text));
}

function variants(template: ts.TemplateExpression, file: ts.SourceFile): readonly string[] {
  return template.templateSpans.reduce<readonly string[]>(
    (texts, { expression, literal }) =>
      texts.flatMap((text) => valuesOf(expression, file).map((value) => text + value + literal.text)),
    [template.head.text],
  );
}

function valuesOf(expression: ts.Expression, file: ts.SourceFile): readonly string[] {
  if (ts.isStringLiteral(expression)) return [expression.text];
  const parameter = ts.isIdentifier(expression) ? parameterNamed(expression) : null;
  if (!parameter) return ['7'];
  const calls: string[] = [];
  const walk = (node: ts.Node): void => {
    const argument =
      ts.isCallExpression(node) && node.expression.getText(file) === parameter.ofFunction
        ? node.arguments[parameter.index]
        : undefined;
    if (argument) calls.push(...valuesOf(argument, file));
    ts.forEachChild(node, walk);
  };
  walk(file);
  return [...new Set(calls)];
}

/** The function around a name that has a parameter of this name. */
function parameterNamed(name: ts.Identifier): { readonly ofFunction: string; readonly index: number } | null {
  for (let node: ts.Node = name; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isFunctionDeclaration(node) && !ts.isArrowFunction(node)) continue;
    const index = node.parameters.findIndex((parameter) => parameter.name.getText() === name.text);
    const named = ts.isFunctionDeclaration(node)
      ? node.name
      : ts.isVariableDeclaration(node.parent)
        ? node.parent.name
        : undefined;
    if (index >= 0 && named) return { ofFunction: named.getText(), index };
  }
  return null;
}
