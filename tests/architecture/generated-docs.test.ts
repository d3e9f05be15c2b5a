import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EVENT_DEFINITIONS } from '@alpenglow/domain';
import { READ_MODELS } from '@alpenglow/infra';
import { expect, test } from 'vitest';
import { PAGES } from '../../launcher/docs/pages.ts';

const root = path.resolve(import.meta.dirname, '../..');

test.each(Object.entries(PAGES))('%s is up to date (npm run docs updates it)', (file, create) => {
  expect(readFileSync(path.join(root, file), 'utf8')).toBe(create(root));
});

test('docs/events-and-read-models.md has every event type and every table of a read model', () => {
  const text = PAGES['docs/events-and-read-models.md']?.(root) ?? '';
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d+) \|/gmu)].map(([, type = '', version = '']) => [type, version]);
  expect(rows.sort()).toEqual(EVENT_DEFINITIONS.map(({ type, version }) => [type, String(version)]).sort());
  const tables = [...text.matchAll(/^- `rm\.(\w+)`: /gmu)].map(([, name = '']) => name);
  expect(tables.sort()).toEqual(READ_MODELS.flatMap((readModel) => readModel.tables).sort());
});
