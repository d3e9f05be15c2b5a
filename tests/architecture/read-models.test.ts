import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import * as declarations from '../../infra/src/read-models/index.ts';
import { PROJECTIONS } from '../../projectors/src/projections/index.ts';
import { sourcesBelow } from './source-texts.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { READ_MODELS } = declarations;

/** The columns of each table of a read model by the name of its declaration, e.g. `AD_CARDS`. */
const COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(declarations).flatMap(([name, value]) =>
    typeof value === 'object' && 'table' in value
      ? [[name, 'columns' in value ? Object.keys(value.columns) : ['key', 'count']]]
      : [],
  ),
);
const TABLE = new RegExp(`\\brm\\.(?:${READ_MODELS.flatMap(({ tables }) => tables).join('|')})\\b`, 'u');
/** An expression in a template string. The tables of read models have the name of their declaration. */
const EXPRESSION = '\0';
const ALIAS = /\0(?<name>[A-Z_]+)\0 (?:as )?(?<alias>(?!(?:where|join|left|order|using|on|for)\b)[a-z]\w*)/gu;

test('a projection fills each declared read model', () => {
  // Otherwise, the start of the product would wait for a read model that no projection fills.
  expect(READ_MODELS.map(({ name, version, columns, tables }) => ({ name, version, columns, tables }))).toEqual(
    PROJECTIONS.map(({ name, version, columns, tallies = [] }) => ({
      name,
      version,
      columns,
      tables: [name, ...tallies.map((tally) => tally.name)],
    })),
  );
});

test('readers name the tables of read models by their declarations, and use only declared columns', () => {
  const packages = readdirSync(root).filter((name) =>
    /^(?:infra|projectors|workers|launcher|bench|\w+-api)$/u.test(name),
  );
  const found = packages
    .flatMap((name) => sourcesBelow(path.join(root, name)))
    .filter((file) => !file.includes('/test/'))
    .map((file) => ({ file: path.relative(root, file), ...checkStatements(readFileSync(file, 'utf8')) }));
  expect(found.flatMap(({ file, problems }) => problems.map((problem) => `${file}: ${problem}`))).toEqual([]);
  expect(found.reduce((sum, { columnCount }) => sum + columnCount, 0)).toBeGreaterThan(200);
});

test('finds a table without its declaration, and a column that its declaration does not have', () => {
  expect(checkStatements("const TEXT = 'select ad_id from rm.ad_cards';").problems).toEqual(['rm.ad_cards']);
  const statement = (condition: string) => `const TEXT = \`select from \${AD_CARDS.table} c where ${condition}\`;`;
  expect(checkStatements(statement('c.ad_id = $1')).problems).toEqual([]);
  expect(checkStatements(statement('c.add_id = $1')).problems).toEqual(['c.add_id']);
});

/** Returns the problems in the SQL statements of a source file, and the number of checked names of columns. */
function checkStatements(source: string): { readonly problems: readonly string[]; readonly columnCount: number } {
  // Most files have no statement. To parse all of them takes seconds.
  const texts = /\brm\.|\.table\}/u.test(source) ? readTexts(source) : [];
  const columnsByAlias = new Map<string, Set<string>>();
  for (const text of texts)
    for (const { groups } of text.matchAll(ALIAS)) {
      const { name = '', alias = '' } = groups ?? {};
      const columns = columnsByAlias.get(alias) ?? new Set();
      for (const column of COLUMNS.get(name) ?? []) columns.add(column);
      columnsByAlias.set(alias, columns);
    }
  // A statement may also give names to columns that it computes.
  const computed = new Set(texts.flatMap((text) => [...text.matchAll(/\bas (?<name>\w+)/gu)].map(([, name]) => name)));
  const names = texts.flatMap((text) => [...text.matchAll(/\b(?<alias>[a-z]\w*)\.(?<column>[a-z]\w*)/gu)]);
  const checked = names.flatMap(([name, alias = '', column = '']) => {
    const columns = columnsByAlias.get(alias);
    return columns ? [{ name, isKnown: columns.has(column) || computed.has(column) }] : [];
  });
  return {
    problems: [
      ...texts.flatMap((text) => TABLE.exec(text)?.[0] ?? []),
      ...checked.flatMap(({ name, isKnown }) => (isKnown ? [] : [name])),
    ],
    columnCount: checked.length,
  };
}

/** Returns the strings of a source file. */
function readTexts(source: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node))
      texts.push(
        [
          node.head.text,
          ...node.templateSpans.map(({ expression, literal }) => {
            const [name = ''] = /^[A-Z_]+(?=\.table$)/u.exec(expression.getText()) ?? [];
            return EXPRESSION + (name && name + EXPRESSION) + literal.text;
          }),
        ].join(''),
      );
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return texts;
}
