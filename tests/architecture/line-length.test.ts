import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
/** Maximum length of a line. The formatter has the same limit, but breaks neither strings nor comments. */
const MAX_characters = 120;
/** Matches a line that consists of one token, such as a long URL. Such a line cannot be broken. */
const ONE_TOKEN = /^\s*\S+$/u;

/** Returns the numbers of the lines that exceed the limit. */
function longLinesOf(text: string): number[] {
  return text
    .split('\n')
    .flatMap((line, index) => (line.length > MAX_characters && !ONE_TOKEN.test(line) ? [index + 1] : []));
}

test('no line of code is longer than 120 characters, unless it is one token', () => {
  const tracked = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.mjs', '*.css'], { cwd: root });
  const files = tracked.toString('utf8').split('\0').filter(Boolean);
  expect(files).toContain('tests/architecture/line-length.test.ts');
  // Git may still list a deleted file, so files that do not exist are skipped.
  const present = files.filter((file) => existsSync(path.join(root, file)));
  const longLines = present.flatMap((file) =>
    longLinesOf(readFileSync(path.join(root, file), 'utf8')).map((number) => `${file}:${number}`),
  );
  expect(longLines).toEqual([]);
});

test('the check reports a long line but not a long token', () => {
  const sentence = 'word '.repeat(30);
  const token = 'x'.repeat(150);
  expect(longLinesOf(['short', sentence, `  '${token}',`, `const ${token} = 1;`].join('\n'))).toEqual([2, 4]);
});
