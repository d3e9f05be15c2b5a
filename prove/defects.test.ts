import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyDefect, parseDefect, readDefects } from './defects.ts';
import { CHECKS } from './history.ts';
import { DISRUPTIONS } from './nemesis.ts';

const root = path.resolve(import.meta.dirname, '..');
const DEFECTS = await readDefects(root);

test('there are at least 36 different seeded defects', () => {
  expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
  expect(DEFECTS.length).toBeGreaterThanOrEqual(36);
});

test.each(DEFECTS)('$name: the patch applies to the sources, and its settings exist', async (defect) => {
  await applyDefect(defect, root, { isDryRun: true });
  expect(CHECKS).toEqual(expect.arrayContaining([...defect.checks]));
  expect(defect.checks).not.toEqual([]);
  expect(DISRUPTIONS).toEqual(expect.arrayContaining([...defect.kinds]));
  expect(defect.each).toBeGreaterThanOrEqual(1);
  expect(defect.gap_ms ?? 0).toBeGreaterThanOrEqual(0);
  expect(defect.load_ms).toBeGreaterThanOrEqual(20_000);
  expect(['Kafka', 'Redis']).toEqual(expect.arrayContaining([...defect.services]));
});

test('a patch of a function in SQL changes the migration that defines the function last', async () => {
  const folder = path.join(root, 'infra/migrations');
  const lastMigrations = new Map<string, string>();
  const functions = /^create (?:or replace )?function (?<name>[\w.]+)/gmu;
  for (const file of (await readdir(folder)).sort()) {
    const sql = await readFile(path.join(folder, file), 'utf8');
    for (const { groups } of sql.matchAll(functions)) lastMigrations.set(groups?.['name'] ?? '', file);
  }
  for (const { file } of DEFECTS) {
    const patch = await readFile(file, 'utf8');
    const migration = /^--- a\/infra\/migrations\/(?<file>.+)$/mu.exec(patch)?.groups?.['file'];
    if (migration === undefined) continue;
    const sql = await readFile(path.join(folder, migration), 'utf8');
    const defined = [...sql.matchAll(functions)].map(({ groups }) => groups?.['name'] ?? '');
    expect(defined).not.toEqual([]);
    expect(defined.map((name) => lastMigrations.get(name))).toEqual(defined.map(() => migration));
  }
});

test('a patch that does not apply is rejected', async () => {
  const [defect] = DEFECTS;
  if (!defect) throw new Error('There is no defect');
  await expect(applyDefect(defect, import.meta.dirname, { isDryRun: true })).rejects.toThrow(/No such file/u);
});

describe('parseDefect', () => {
  const diff = '\ndiff --git a/a.ts b/a.ts\nUnknown: text in the diff\n';
  test('reads the settings before the diff', () => {
    const fields =
      'Name: a mail is lost\nCheck: mails, jobs\nDisruptions: kill, pause\nTarget: workers\nGap: 0.5\n' +
      'Processes: 2\nLoad: 45\n';
    expect(parseDefect('a.patch', fields + diff)).toEqual({
      file: 'a.patch',
      name: 'a mail is lost',
      checks: ['mails', 'jobs'],
      kinds: ['kill', 'pause'],
      target: 'workers',
      gap_ms: 500,
      each: 2,
      load_ms: 45_000,
      services: [],
    });
  });
  test('uses no disruptions and one process by default', () => {
    expect(parseDefect('a.patch', `Name: a\nCheck: mails\n${diff}`)).toMatchObject({
      kinds: [],
      target: '',
      gap_ms: null,
      each: 1,
      load_ms: 20_000,
    });
  });
  test.each([
    ['a missing field', 'Name: a\n'],
    ['an unknown field', 'Name: a\nCheck: mails\nKind: kill\n'],
    ['a line that is not a field', 'Name: a\nCheck: mails\nkill\n'],
  ])('rejects %s', (_name, fields) => {
    expect(() => parseDefect('a.patch', fields + diff)).toThrow('a.patch: ');
  });
});
