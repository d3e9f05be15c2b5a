import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ERRORS } from '@alpenglow/domain';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const FOLDERS = ['domain/src', 'infra/src', 'command-api/src', 'query-api/src', 'workers/src', 'ui/src'];

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name) && entry.name !== 'errors.ts')
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8')),
);
const handler = readFileSync(path.join(root, 'infra/src/http/errors.ts'), 'utf8');
const used = (code: string) => [...sources, handler].some((text) => new RegExp(`['.]${code}\\b`, 'u').test(text));

test.each(Object.keys(ERRORS))('%s of the error catalogue is a refusal somebody makes', (code) => {
  expect(used(code)).toBe(true);
});

test('a code nobody uses would be seen', () => {
  expect(used('NOBODY_USES_THIS')).toBe(false);
});
