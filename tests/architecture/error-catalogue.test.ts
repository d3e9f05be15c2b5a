import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ERRORS } from '@alpenglow/domain';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const FOLDERS = ['domain/src', 'infra/src', 'command-api/src', 'query-api/src', 'workers/src', 'ui/src'];

/** Files that only declare or list error codes. They do not use the codes. */
const DECLARING: ReadonlySet<string> = new Set(['error-catalogue.ts', 'errors.ts']);

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name) && !DECLARING.has(entry.name))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8')),
);
const handler = readFileSync(path.join(root, 'infra/src/http/errors.ts'), 'utf8');
const used = (code: string) => [...sources, handler].some((text) => new RegExp(`['.]${code}\\b`, 'u').test(text));

test.each(Object.keys(ERRORS))('the code %s of the error catalogue is used', (code) => {
  expect(used(code)).toBe(true);
});

test('the check reports an unused code', () => {
  expect(used('NOBODY_USES_THIS')).toBe(false);
});
