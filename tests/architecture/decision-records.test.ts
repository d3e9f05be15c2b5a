import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** Tests the rules for decision records (docs/decisions/README.md). */

const folder = path.resolve(import.meta.dirname, '../../docs/decisions');
const index = readFileSync(path.join(folder, 'README.md'), 'utf8');

/** A link to a record. Groups: number, file. */
const LINK = /\[(\d{4})\]\((\d{4}-[\w-]+\.md)\)/gu;
/** A value of the head, which may be wrapped. */
const VALUE = String.raw`.+(?:\n {2}.+)*`;
/** The head of a record: title, date, status, and optionally the records that it changes. */
const HEAD = new RegExp(
  String.raw`^# (?<number>\d{4}) (?<title>.+)\n\n- Date: \d{4}-\d\d-\d\d\n- Status: (?<status>${VALUE})\n` +
    String.raw`(?:- Changes: (?<changes>${VALUE})\n)?\n## Context\n`,
  'u',
);
const CHANGE = String.raw`\[\d{4}\]\([\w.-]+\) \([^)]+\)`;
/** `accepted`, or `accepted; changed in part by [0053](…) (caches), [0064](…) (tokens)`. */
const STATUS = new RegExp(String.raw`^accepted(?:; changed in part by ${CHANGE}(?:, ${CHANGE})*)?$`, 'u');
const CHANGES = /^\[\d{4}\]\([\w.-]+\)(?:, \[\d{4}\]\([\w.-]+\))*$/u;
/** Phrases of a text that mean a change of another record. The group is the number of the other record. */
const CHANGE_IN_TEXT = [
  String.raw`(?:replaces|changes|supersedes) (?:(?:an? )?(?:parts?|rules?) of )?(?:record |decision )?\[?(\d{4})\b`,
  String.raw`(?:replaced|changed|superseded) by (?:record |decision )?\[?(\d{4})\b`,
  String.raw`(?<![\w-])since \[?(\d{4})\b`,
].map((pattern) => new RegExp(pattern, 'giu'));

interface DecisionRecord {
  readonly file: string;
  readonly number: string;
  readonly title: string;
  readonly status: string;
  readonly changes: string;
  /** The numbers of the records that have changed this one, or that this one changes. */
  readonly changedBy: readonly string[];
  readonly changesNumbers: readonly string[];
  readonly text: string;
}

const unwrap = (text: string) => text.replaceAll(/\n {2,}/gu, ' ');
const numbersIn = (text: string) => [...text.matchAll(LINK)].map(([, number = '']) => number);

/** Returns the record in a file, or null if its head does not follow the rules. */
function parseRecord(file: string, text: string): DecisionRecord | null {
  const groups = HEAD.exec(text)?.groups;
  if (!groups) return null;
  const status = unwrap(groups['status'] ?? '');
  const changes = unwrap(groups['changes'] ?? '');
  return {
    file,
    number: groups['number'] ?? '',
    title: groups['title'] ?? '',
    status,
    changes,
    changedBy: numbersIn(status),
    changesNumbers: numbersIn(changes),
    text: text.slice(text.indexOf('## Context')),
  };
}

/** Returns the numbers of the records whose change the text mentions and the head omits. */
function findUnstatedChanges({ text, changedBy, changesNumbers }: DecisionRecord): readonly string[] {
  const named = CHANGE_IN_TEXT.flatMap((pattern) =>
    [...text.replaceAll(/\s+/gu, ' ').matchAll(pattern)].map(([, number = '']) => number),
  );
  return named.filter((number) => !changedBy.includes(number) && !changesNumbers.includes(number));
}

const files = readdirSync(folder).filter((name) => /^\d/u.test(name));
const parsed = files.map((file) => parseRecord(file, readFileSync(path.join(folder, file), 'utf8')));
const records = parsed.filter((record) => record !== null);
const recordOf = (number: string) => records.find((record) => record.number === number);

test('each record has a title with its number, a date, a status and the section Context', () => {
  expect(files.filter((_file, position) => parsed[position] === null)).toEqual([]);
  expect(records.length).toBeGreaterThan(70);
  expect(records.filter(({ file, number }) => !file.startsWith(`${number}-`))).toEqual([]);
});

describe.each(records)('$file', ({ file, number, status, changes, changedBy, changesNumbers, text }) => {
  test('has a status, and a line of changes, in the format of the rules', () => {
    expect(status).toMatch(STATUS);
    if (changes !== '') expect(changes).toMatch(CHANGES);
    expect(text).toMatch(/^## Decision$/mu);
    expect(text).toMatch(/^## Consequences$/mu);
  });

  test('links to and from each record that it changes or that changes it', () => {
    for (const later of changedBy) expect(recordOf(later)?.changesNumbers, later).toContain(number);
    for (const earlier of changesNumbers) expect(recordOf(earlier)?.changedBy, earlier).toContain(number);
    expect(changedBy.filter((later) => later <= number)).toEqual([]);
  });

  test('mentions no change of another record that its head omits', () => {
    const record = recordOf(number);
    expect(record && findUnstatedChanges(record)).toEqual([]);
  });

  test('links to each record by its number', () => {
    const source = readFileSync(path.join(folder, file), 'utf8');
    for (const [, label, target = ''] of source.matchAll(LINK)) expect(target.slice(0, 4), target).toBe(label);
  });
});

test('the list has every record once, with its number and its title', () => {
  const listed = [...unwrap(index).matchAll(/^- \[(\d{4})\]\(([\w.-]+)\) (.+)\.$/gmu)].map(
    ([, number, file, title]) => `${number} ${file} ${title}`,
  );
  const expected = records.map(({ number, file, title }) => `${number} ${file} ${title}`);
  expect(listed.toSorted()).toEqual(expected);
});

describe('the checks', () => {
  const head = (lines: string) => `# 0002 A title\n\n- Date: 2026-01-01\n${lines}\n\n## Context\nText.\n`;
  const read = (lines: string, text = '') => parseRecord('0002-a.md', head(lines) + text);

  test('read wrapped lines', () => {
    const record = read(
      '- Status: accepted; changed in part by [0003](0003-b.md)\n  (one thing)\n- Changes: [0001](0001-a.md)',
    );
    expect(record).toMatchObject({ changedBy: ['0003'], changesNumbers: ['0001'] });
    expect(record?.status).toMatch(STATUS);
  });

  test('find a missing status, a status without links and an unknown status', () => {
    expect(read('- Title: no status')).toBeNull();
    for (const status of ['accepted, partly replaced by 0027', 'accepted (see 0048)', 'superseded by 0003', 'draft'])
      expect(read(`- Status: ${status}`)?.status).not.toMatch(STATUS);
  });

  test.each([
    'This replaces a rule of 0001.',
    'It changes [0001](0001-a.md).',
    'The cache, replaced by decision\n  0001, is gone.',
    'The page is stored briefly since 0001.',
  ])('find a change that the head omits: %s', (text) => {
    const without = read('- Status: accepted', text);
    expect(without && findUnstatedChanges(without)).toEqual(['0001']);
    const stated = read('- Status: accepted\n- Changes: [0001](0001-a.md)', text);
    expect(stated && findUnstatedChanges(stated)).toEqual([]);
  });

  test('accept the mention of another record without a change', () => {
    const record = read('- Status: accepted', 'The queue (0001) is used.');
    expect(record && findUnstatedChanges(record)).toEqual([]);
  });
});
