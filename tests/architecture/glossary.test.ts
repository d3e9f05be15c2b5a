import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { OLD_WORDS, oldWordsIn, rowsOfName, type OldWord } from './old-words.ts';

const root = path.resolve(import.meta.dirname, '../..');
const IGNORED_FILES = [
  // These files contain the forbidden words on purpose.
  /^docs\/glossary\.md$/u,
  /^tests\/architecture\/(?:glossary\.test|old-words)\.ts$/u,
  // The articles are product texts, not documentation.
  /^launcher\/seed\/articles\//u,
];

/** An exception: an identifier or text that may contain a word which docs/glossary.md forbids. */
interface AllowedText {
  readonly text: string;
  readonly files: RegExp;
  readonly reason: string;
}

const ALLOWED: readonly AllowedText[] = [
  {
    text: 'answers',
    files: /^(?:ui\/src\/api\/embedded-responses\.ts|(?:shell\/test|tests\/integration)\/first-html[\w.-]*\.ts)$/u,
    reason: 'field of the JSON in the first HTML, which remotes of other deployments read',
  },
  {
    text: 'answer',
    files: /^tests\/integration\/mail-idempotency\.test\.ts$/u,
    reason: 'column of mail.sent',
  },
  { text: 'IDEMPOTENCY_ANSWER_GONE', files: /^domain\/src\/error-catalogue\.ts$/u, reason: 'error code of the API' },
  {
    text: 'asked',
    files:
      /^(?:domain\/src\/api\/schemas\/transparency|mf-admin\/src\/transparency\/report|query-api\/src\/admin\/transparency\/report-(?:csv|reader)|tests\/integration\/transparency\.test)\.tsx?$/u,
    reason: 'field of the transparency report',
  },
  {
    text: 'wish',
    files:
      /^(?:domain\/src\/api\/schemas\/replay|mf-admin\/src\/replay\/[\w-]+|tests\/integration\/replay-api\.test)\.tsx?$/u,
    reason: 'field of a rebuild in the API and column of rm.rebuilds',
  },
  {
    text: 'keptAt',
    files:
      /^(?:domain\/src\/api\/schemas\/replay|mf-admin\/src\/replay\/rebuild-state|query-api\/src\/admin\/replay\/projection-reader)\.tsx?$/u,
    reason: 'field of a projection in the API',
  },
  {
    text: 'kept',
    files: /^(?:mf-admin\/src\/moderation\/case-labels\.tsx|mf-listings\/src\/decisions\/outcome-badge\.tsx)$/u,
    reason: 'outcome of a decision in events and in the API',
  },
  { text: 'kept', files: /^docs\/product\/11-moderation\.md$/u, reason: 'outcome of a decision' },
  {
    text: 'refused',
    files: /^(?:mf-admin|mf-listings)\/src\/(?:account\/)?identity\/(?:check-card|identity-section)\.tsx$/u,
    reason: 'state of an identity check in the API',
  },
  {
    text: 'fault',
    files: /^infra\/(?:src\/adapters\/known-images|test)\/known-images(?:\.test)?\.ts$/u,
    reason: 'field of a log entry',
  },
  { text: '$fault', files: /^infra\/test\/s3-errors\.test\.ts$/u, reason: 'field of the AWS SDK' },
  {
    text: 'FAULT_SECONDS',
    files: /^tests\/(?:engines\/run\.mjs|architecture\/configuration\.test\.ts)$/u,
    reason: 'environment variable',
  },
  { text: 'engine', files: /^infra\/src\/service\/check-with-retries\.ts$/u, reason: 'field of a log entry' },
  { text: 'engines', files: /^tests\/vitest\.config\.ts$/u, reason: 'suite of the command `test:engines`' },
  {
    text: 'engines',
    files: /^(?:launcher\/embedded\/start\.mjs|tests\/architecture\/node-versions\.test\.ts)$/u,
    reason: 'field of package.json',
  },
  {
    text: 'engine.mjs',
    files: /^launcher\/engines\/engine\.mjs$/u,
    reason: 'part of the command `npm run engines`',
  },
];

/** A forbidden word in a file. Line 0 means that the name of the file contains the word. */
interface Finding extends OldWord {
  readonly file: string;
}

function findingsIn(file: string, source: string): readonly Finding[] {
  const name = path.basename(file);
  const inName = rowsOfName(name.replace(/\.\w+$/u, '')).map((row) => ({ row, text: name, line: 0 }));
  return [...inName, ...oldWordsIn(file, source)].map((found) => ({ ...found, file }));
}

const isAllowedBy = ({ text, file }: Finding) => {
  return (allowed: AllowedText) => allowed.text === text && allowed.files.test(file);
};

const describeFinding = ({ file, line, text, row }: Finding) => `${file}:${line}: "${text}" (glossary: ${row})`;

/** Returns the texts in the first column of the table below a heading of a Markdown document. */
function firstColumnOf(document: string, heading: string): readonly string[] {
  const section = document.split(/^## /mu).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| (?<first>[^|]*?) \|/gmu)].map(({ groups }) => groups?.['first'] ?? '').slice(1);
}

const tracked = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.mjs', '*.css', '*.md'], { cwd: root });
const files = tracked
  .toString('utf8')
  .split('\0')
  // Git may still list a deleted file, so files that do not exist are skipped.
  .filter((file) => file !== '' && existsSync(path.join(root, file)) && !IGNORED_FILES.some((it) => it.test(file)));
const findings = files.flatMap((file) => findingsIn(file, readFileSync(path.join(root, file), 'utf8')));

test('no name, comment, test title or document contains an old word of the glossary', () => {
  expect(files).toContain('tests/architecture/line-length.test.ts');
  expect(findings.filter((found) => !ALLOWED.some(isAllowedBy(found))).map(describeFinding)).toEqual([]);
});

test.each(ALLOWED)('the exception for $text is needed in $files', (allowed) => {
  expect(findings.some((found) => isAllowedBy(found)(allowed))).toBe(true);
});

test('the glossary lists the words that this test finds', () => {
  const glossary = readFileSync(path.join(root, 'docs/glossary.md'), 'utf8');
  expect(firstColumnOf(glossary, 'Words to replace')).toEqual(OLD_WORDS.map(({ row }) => row));
});

describe('the check', () => {
  const isIdentifier = (text: string) => /^\w+$/u.test(text);
  const examples = OLD_WORDS.flatMap(({ row, examples: texts }) =>
    texts.map((text) => [row, isIdentifier(text) ? `const ${text} = 1;` : `// ${text}`] as const),
  );
  test.each(examples)('finds the old words "%s" in: %s', (row, line) => {
    const found = findingsIn('a.ts', `export const a = 1;\n${line}\n`);
    expect(found.map(describeFinding)).toContainEqual(expect.stringMatching(/^a\.ts:2: /u));
    expect(found.map((finding) => finding.row)).toContain(row);
  });

  test('finds an example of each pattern', () => {
    for (const { row, words, identifiers = words, prose = words, examples: texts } of OLD_WORDS)
      expect(texts.map(isIdentifier), row).toEqual([...(identifiers ? [true] : []), ...(prose ? [false] : [])]);
  });

  test.each([
    ['a comment with a line break', 'a.ts', '/**\n * The table is read once\n * more.\n */', 2, 'once more'],
    ['a comment at the end of a block', 'a.ts', 'f(() => {\n  a();\n  // Done anew.\n});', 3, 'anew'],
    ['a comment in an empty block', 'a.ts', 'f(() => {\n  // Done anew.\n});', 2, 'anew'],
    ['a comment of a component', 'a.tsx', 'const a = (\n  <p>\n    {/* Shown anew. */}\n  </p>\n);', 3, 'anew'],
    ['a comment after code', 'a.ts', 'a();\nb(); // Done anew.', 2, 'anew'],
    ['the title of a test', 'a.test.ts', "test.each([1])('refuses %i', () => {});", 1, 'refuses'],
    ['a property', 'a.ts', 'a.letGo();', 1, 'letGo'],
    ['a class of a style sheet', 'a.module.css', '.a {\n}\n.told-text {\n}', 3, 'told-text'],
    ['a comment of a style sheet', 'a.css', '/* Shown anew. */', 1, 'anew'],
    ['a document', 'a.md', '# A\n\nWhoever reads this.', 3, 'Whoever'],
    ['the name of a file', 'src/told-stream.ts', '', 0, 'told-stream.ts'],
  ])('finds %s', (_what, file, source, line, text) => {
    expect(findingsIn(file, source)).toMatchObject([{ file, line, text }]);
  });

  test.each([
    ['strings', 'a.ts', "throw new Error('refused'); const a = `kept // anew`;"],
    ['code in comments', 'a.ts', '// The state `refused` of `kept`.'],
    ['code and addresses in documents', 'a.md', '`refused`, [a](b/refused.md)\n\n```sh\nnpm run engines\n```'],
    ['visible texts', 'a.tsx', 'const a = <p>It was refused // anew</p>;'],
    ['methods of arrays', 'a.ts', 'a.slice(1);'],
    ['parts of other words', 'a.ts', 'const task = wishlist; // A task with a wishlist.'],
  ])('ignores %s', (_what, file, source) => {
    expect(findingsIn(file, source)).toEqual([]);
  });
});
