import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ERRORS, newAdFields } from '@alpenglow/domain/contracts';
import { activateLocale, loadLocale } from '../src/i18n/i18n.ts';
import { LOCALES, SOURCE_LOCALE } from '../src/i18n/locales.ts';
import { translateServerText, extractParameters } from '../src/i18n/server-text.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Source files that contain messages for visitors. The error catalog contains further messages. */
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
  'domain/src/media/views.ts',
  'query-api/src/ads/list-query.ts',
  'query-api/src/ads/routes.ts',
  'query-api/src/paging.ts',
  'domain/src/api/parameter-schemas.ts',
];
/** Checks whether a message needs no translation, because it contains no words or is only a part of another message. */
const hasNoText = (message: string) => /^(?:HTTP \d+|\{\w+\})$/u.test(message);

const errors = Object.values(ERRORS)
  .map(({ message }) => message)
  .filter((message) => !hasNoText(message));
const sourceOf = (file: string) => readFileSync(path.join(root, file), 'utf8');
/**
 * Source code of the functions that create text rules, e.g. `requiredText`. It is appended to the code of each file,
 * because the calls in the file contain a part of the messages, e.g. the label `Title`.
 */
const TEXT_RULES = sourceOf('domain/src/text-fields.ts');
const rules = RULE_FILES.flatMap((file) => textsIn(sourceOf(file) + TEXT_RULES));
const otherLocales = LOCALES.filter((locale) => locale !== SOURCE_LOCALE);

beforeAll(async () => {
  await Promise.all(otherLocales.map(loadLocale));
});
afterEach(() => activateLocale(SOURCE_LOCALE));

describe.each(otherLocales)('in %s', (locale) => {
  test.each([...new Set([...errors, ...rules])])('%s', (text) => {
    activateLocale(locale);
    expect(translateServerText(withExampleValues(text))).not.toBe(withExampleValues(text));
  });
});

test('the default message of a rule is translated, too', async () => {
  // Removes the default messages of Zod. Browsers do not load them, but another test in this process may have loaded
  // them.
  const { config } = await vi.importActual<{
    config(next?: { localeError: unknown }): { readonly localeError?: unknown };
  }>('zod/mini');
  const { localeError } = config();
  config({ localeError: undefined });
  onTestFinished(() => void config({ localeError }));
  activateLocale('de');
  expect(newAdFields.safeParse(null).error?.issues.map(({ message }) => translateServerText(message))).toEqual([
    'Ungültige Angabe',
  ]);
});

test('messages are found, also those that are built with arguments', () => {
  expect(rules).toEqual(
    expect.arrayContaining([
      'Please enter a display name',
      'Password must be at most 7 characters',
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

test('a text without a translation is returned unchanged', () => {
  activateLocale('de');
  expect(translateServerText('A sentence of another server')).toBe('A sentence of another server');
});

describe('parameters', () => {
  test('are inserted into the translation, with plural forms', () => {
    const text = (seconds: number) => `Too many requests. Please try again in ${seconds} seconds.`;
    expect(translateServerText(text(12))).toBe(text(12));
    activateLocale('de');
    const translated = (seconds: number) => translateServerText(text(seconds), seconds);
    expect(translated(12)).toBe('Zu viele Anfragen. Bitte versuchen Sie es in 12 Sekunden noch einmal.');
    expect(translated(1)).toBe('Zu viele Anfragen. Bitte versuchen Sie es in 1 Sekunde noch einmal.');
    expect(translated(119)).toBe('Zu viele Anfragen. Bitte versuchen Sie es in 119 Sekunden noch einmal.');
    expect(translated(120)).toBe('Zu viele Anfragen. Bitte versuchen Sie es in 2 Minuten noch einmal.');
    activateLocale('fr');
    expect(translateServerText('Display name must be at most 60 characters')).toBe(
      'Le nom affiché doit compter au plus 60 caractères',
    );
  });

  test('a waiting time is formatted in the visitor’s language', () => {
    activateLocale('it');
    expect(translateServerText('You can bump your ad again in 11 min', 661)).toBe(
      'Potrà riportare di nuovo in alto il Suo annuncio tra 12 minuti',
    );
    expect(translateServerText('You can bump your ad again in 9 s', 9)).toBe(
      'Potrà riportare di nuovo in alto il Suo annuncio tra 9 secondi',
    );
  });

  test('a translation of the exact text takes precedence over a matching pattern', () => {
    activateLocale('de');
    expect(translateServerText('Title must be at most 120 characters')).toBe(
      'Der Titel darf höchstens 120 Zeichen lang sein',
    );
    expect(translateServerText('TikTok must be at most 200 characters')).toBe('TikTok: höchstens 200 Zeichen');
  });

  test('are read from a text by its pattern', () => {
    expect(extractParameters('In 3 (or 4) days', 'In {a} (or {b}) days')).toEqual({ a: '3', b: '4' });
    expect(extractParameters('In 3 days', 'In {a} weeks')).toBeNull();
  });
});

/** Replaces each parameter of a text by 7. */
function withExampleValues(text: string): string {
  return text.replaceAll(/\{\w+\}/gu, '7');
}

/**
 * Returns the messages in a source file. These are the literals that begin with two words. If a template contains a
 * parameter of the enclosing function, the function's literal arguments replace the parameter. For example, `${label}
 * must be text` becomes `Title must be text`. Any other expression in a template is replaced by 7. The label of a field
 * is only a part of messages.
 */
function textsIn(source: string): readonly string[] {
  const file = ts.createSourceFile('rules.ts', source, ts.ScriptTarget.Latest, true);
  const messages: string[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && !isLabel(node)) messages.push(node.text);
    if (ts.isTemplateExpression(node)) messages.push(...variants(node, file));
    ts.forEachChild(node, walk);
  };
  walk(file);
  return messages.filter((text) => /^\w+ [a-z]+/u.test(text));
}

function isLabel({ parent }: ts.StringLiteral): boolean {
  return ts.isCallExpression(parent) && parent.expression.getText() === 'isDisplayable';
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

/** Returns the enclosing function that has a parameter with this name, and the index of the parameter. */
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
