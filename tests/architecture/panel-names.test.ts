import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECTIONS } from '@alpenglow/projectors';
import { expect, test } from 'vitest';
import en from '../../mf-admin/src/locales/en.json' with { type: 'json' };
import { sourcesBelow } from './source-texts.ts';

const root = path.resolve(import.meta.dirname, '../..');
const withoutName = (ids: readonly string[]) => ids.filter((id) => !(id in en));

test('the admin panel has a name for every read model (R-16.12)', () => {
  expect(withoutName(PROJECTIONS.map(({ name }) => `projection.${name}`))).toEqual([]);
});

test('the admin panel has a name for every part of the system that writes events (R-16.12)', () => {
  const files = ['command-api', 'infra', 'launcher', 'projectors', 'workers'].flatMap((name) =>
    sourcesBelow(path.join(root, name)).filter((file) => !file.includes('/test/')),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:systemOrigin\(|kind: 'system', name: )'([^']+)'/gu)].map(
      ([, name]) => name,
    ),
  );
  expect(names.length).toBeGreaterThan(5);
  // These names are constants or the kinds of jobs.
  const others = ['reactor-hiding-rules', 'photo-variants', 'video-probe'];
  expect(withoutName([...names, ...others].map((name) => `system.${name}`))).toEqual([]);
});
