import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
/** Maximum length of a line of code. The formatter has the same limit, but breaks neither strings nor comments. */
const MAX_characters = 120;
/** Maximum length of a line of prose. */
const MAX_PROSE_characters = 110;
/** A generated document whose lists of events and columns are code. */
const GENERATED = 'docs/events-and-read-models.md';
/** Matches a line that consists of one token, such as a long URL. Such a line cannot be broken. */
const ONE_TOKEN = /^\s*\S+$/u;

/** Returns the existing files of Git that match the patterns. */
function listFiles(...patterns: readonly string[]): readonly string[] {
  const tracked = execFileSync('git', ['ls-files', '-z', ...patterns], { cwd: root })
    .toString('utf8')
    .split('\0');
  // Git may still list a deleted file.
  return tracked.filter((file) => file !== '' && existsSync(path.join(root, file)));
}

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Returns the numbers of the lines that exceed the limit. */
function longLinesOf(text: string): number[] {
  return text
    .split('\n')
    .flatMap((line, index) => (line.length > MAX_characters && !ONE_TOKEN.test(line) ? [index + 1] : []));
}

/** Returns the long lines of a document, except in tables, code and HTML. */
function longProseOf(text: string): readonly string[] {
  return text
    .replaceAll(/^ *```[^]*?^ *```$/gmu, '')
    .split('\n')
    .filter((line) => line.length > MAX_PROSE_characters && !/^\s*[|<]/u.test(line));
}

test('no line of code is longer than 120 characters, unless it is one token', () => {
  const files = listFiles('*.ts', '*.tsx', '*.mjs', '*.css');
  expect(files).toContain('tests/architecture/line-length.test.ts');
  const longLines = files.flatMap((file) => longLinesOf(read(file)).map((number) => `${file}:${number}`));
  expect(longLines).toEqual([]);
});

test('lines of documents have at most 110 characters, except in tables, code and HTML', () => {
  const files = listFiles('docs/*.md', ':(glob)*.md', ':(glob)*/README.md').filter((file) => file !== GENERATED);
  expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/testing.md', 'docs/decisions/README.md']));
  expect(files.flatMap((file) => longProseOf(read(file)).map((line) => `${file}: ${line}`))).toEqual([]);
});

test('the check reports a long line but not a long token', () => {
  const sentence = 'word '.repeat(30);
  const token = 'x'.repeat(150);
  expect(longLinesOf(['short', sentence, `  '${token}',`, `const ${token} = 1;`].join('\n'))).toEqual([2, 4]);
});

test('the check of documents reports long prose, but no long table, code or HTML', () => {
  const long = 'word '.repeat(30);
  expect(longProseOf(`${long}\n\n| ${long} |\n<img alt="${long}">\n\`\`\`sh\n${long}\n\`\`\`\n- ${long}`)).toEqual([
    long,
    `- ${long}`,
  ]);
});
