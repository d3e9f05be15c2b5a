import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** Folders that are not part of the repository. They are the folders in `.gitignore` and the folder of Git. */
const IGNORED_FOLDERS = new Set(['.git', 'node_modules', 'dist', '.data', '.build', 'coverage', 'screenshots']);
/** Files that are not searched. They contain third-party text or examples that are not citations. */
const IGNORED_FILES = new Set(['package-lock.json', 'tests/architecture/citations.test.ts']);
const IGNORED_NAMES = /\.(?:log|env)$|results\.json$/u;

/** Matches an id such as `R-5.3` of the product rules, or `A-3`, `F-3` or `T-3` of other documents. */
const ID = /(?<![\w-])(?:R-\d+\.\d+|[AFT]-\d+)(?![\w-]|\.\d)/gu;
const DEFINITION = new RegExp(`\\*\\*(${ID.source})\\*\\*`, 'gu');

/** Matches a space or a line break inside a comment. */
const GAP = String.raw`\s+(?:(?:\*|//|#)\s+)?`;
/** Patterns of citations that refer to documents outside the repository. */
const UNKNOWN_SOURCES = [
  String.raw`specification,${GAP}(?:sections?${GAP})?\d`,
  String.raw`product(?:-|${GAP})decisions`,
  String.raw`\bdesign/[\w-]+\.md`,
  String.raw`\(design[,:)]`,
  String.raw`(?<![\w-])shared/\w`,
].map((pattern) => new RegExp(pattern, 'giu'));

interface TextFile {
  /** Path relative to the repository. */
  readonly name: string;
  readonly text: string;
}

function textFilesBelow(folder: string): readonly TextFile[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return IGNORED_FOLDERS.has(entry.name) ? [] : textFilesBelow(name);
    if (!entry.isFile() || IGNORED_FILES.has(name) || IGNORED_NAMES.test(name)) return [];
    const bytes = readFileSync(path.join(root, name));
    // A file with zero bytes is binary, so it is not searched.
    return bytes.includes(0) ? [] : [{ name, text: bytes.toString('utf8') }];
  });
}

const matchesOf = (pattern: RegExp, text: string) => [...text.matchAll(pattern)];

/** Returns a line `file: id` for each cited id without a definition. */
function undefinedIds(files: readonly TextFile[], defined: ReadonlySet<string>): readonly string[] {
  return files.flatMap(({ name, text }) =>
    [...new Set(matchesOf(ID, text).map(([id]) => id))].filter((id) => !defined.has(id)).map((id) => `${name}: ${id}`),
  );
}

/** Returns the ids that a document defines, in order. */
const definitionsIn = (text: string): readonly string[] => matchesOf(DEFINITION, text).map(([, id = '']) => id);

const unknownSourcesIn = ({ name, text }: TextFile): readonly string[] =>
  UNKNOWN_SOURCES.flatMap((pattern) => matchesOf(pattern, text)).map(([found]) => `${name}: ${found}`);

const duplicatesOf = (ids: readonly string[]) => ids.filter((id, index) => ids.indexOf(id) !== index);

const NOT_MET_HEADING = '## Rules that the code does not meet yet';
const RANGE = new RegExp(`(${ID.source}) to (${ID.source})`, 'gu');

/** Returns the ids in a text. A range such as `R-1.2 to R-1.4` stands for all of its ids. */
function idsIn(text: string): readonly string[] {
  const inRanges = matchesOf(RANGE, text).flatMap(([, from = '', to = '']) => {
    const [prefix = '', first = ''] = /^(.*?)(\d+)$/u.exec(from)?.slice(1) ?? [];
    const last = Number(/\d+$/u.exec(to)?.[0]);
    return Array.from(
      { length: Math.max(0, last - Number(first) + 1) },
      (_, index) => prefix + (Number(first) + index),
    );
  });
  return [...matchesOf(ID, text).map(([id]) => id), ...inRanges];
}

/**
 * Returns a line `id: file` for each rule that `index` lists as not met, although a test cites it. The tests pass, so
 * the code meets the rule.
 */
function coveredIds(index: string, tests: readonly TextFile[]): readonly string[] {
  const list = index.split(NOT_MET_HEADING)[1]?.split('\n## ')[0] ?? '';
  const notMet = new Set(idsIn(list));
  return tests.flatMap(({ name, text }) =>
    [...new Set(idsIn(text))].filter((id) => notMet.has(id)).map((id) => `${id}: ${name}`),
  );
}

const files = textFilesBelow('.');
const documents = files.filter(({ name }) => name.startsWith('docs/'));
const definitions = documents.flatMap(({ text }) => definitionsIn(text));

test('every cited id has a definition in the documents', () => {
  expect(undefinedIds(files, new Set(definitions))).toEqual([]);
});

test('no id is defined twice', () => {
  expect(duplicatesOf(definitions)).toEqual([]);
});

test('each document defines only ids of its own kind', () => {
  const kinds = documents.flatMap(({ name, text }) =>
    [...new Set(definitionsIn(text).map((id) => id.replace(/\d+$/u, '')))].map((kind) => `${name}: ${kind}`),
  );
  const sections = documents.flatMap(({ name }) => {
    const section = /^docs\/product\/(\d+)-/u.exec(name)?.[1];
    return section === undefined ? [] : [`${name}: R-${Number(section)}.`];
  });
  expect(kinds.toSorted()).toEqual(
    [...sections, 'docs/architecture.md: A-', 'docs/front-end.md: F-', 'docs/trust-and-privacy.md: T-'].toSorted(),
  );
});

test('the index of the product rules links to every section', () => {
  const index = files.find(({ name }) => name === 'docs/product/README.md')?.text ?? '';
  const linked = matchesOf(/\]\((\d[\w-]+\.md)\)/gu, index).map(([, file]) => `docs/product/${file}`);
  expect(linked).toEqual(
    documents
      .map(({ name }) => name)
      .filter((name) => /^docs\/product\/\d/u.test(name))
      .toSorted(),
  );
});

test('the list of rules that the code does not meet names no rule that a test covers', () => {
  const index = files.find(({ name }) => name === 'docs/product/README.md')?.text ?? '';
  expect(index).toContain(NOT_MET_HEADING);
  const tests = files.filter(({ name }) => /\.test\.tsx?$/u.test(name));
  expect(coveredIds(index, tests)).toEqual([]);
});

test('no file cites a source outside the repository', () => {
  expect(files.flatMap(unknownSourcesIn)).toEqual([]);
});

test('the checks report wrong citations', () => {
  const cite = (text: string): TextFile => ({ name: 'a.ts', text });
  expect(undefinedIds([cite('Refuses (R-5.3, R-5.99), see T-1.')], new Set(['R-5.3']))).toEqual([
    'a.ts: R-5.99',
    'a.ts: T-1',
  ]);
  expect(undefinedIds([cite('SHA-1 x-A-1 R-07KQ2M4XA R-1.2.3 UTF-8 a-1')], new Set())).toEqual([]);
  expect(definitionsIn('- **R-1.1** One.\n- **A-2** Two (R-1.1).')).toEqual(['R-1.1', 'A-2']);
  expect(duplicatesOf(['R-1.1', 'A-2', 'R-1.1'])).toEqual(['R-1.1']);
  const list = '- R-7.34: positions.\n- R-10.12 to R-10.14: claims.';
  const index = `See R-7.1.\n${NOT_MET_HEADING}\n\n${list}\n\n## More\nR-7.2`;
  const tests = [cite('(R-7.34, R-7.1)'), cite('R-7.2, R-10.11 to R-10.13'), cite('R-10.14 R-10.1')];
  expect(coveredIds(index, tests)).toEqual(['R-7.34: a.ts', 'R-10.13: a.ts', 'R-10.12: a.ts', 'R-10.14: a.ts']);
  expect(coveredIds('None at present.', tests)).toEqual([]);
  for (const text of [
    '(specification, section 5)',
    '(specification, section\n * 5, "Photos")',
    'of the Product decisions',
    'the product\n * decisions',
    'design/architecture.md',
    '(design, trust and privacy)',
    '../shared/notes.md',
  ])
    expect(unknownSourcesIn(cite(text)), text).toHaveLength(1);
  for (const text of ['OpenAPI specification', 'RFC 9110, section 14', 'unshared/x', 'the design of it'])
    expect(unknownSourcesIn(cite(text)), text).toEqual([]);
});
