import { expect, test } from 'vitest';
import { READ_MODELS } from '../../infra/src/read-models.ts';
import { PROJECTIONS } from '../../projectors/src/projections/index.ts';

test('readers expect the versions of read models that the projections fill', () => {
  // With other versions, the start of the product would wait for read models that no projection fills.
  const versionsOf = (models: readonly { readonly name: string; readonly version: number }[]) =>
    Object.fromEntries(models.map(({ name, version }) => [name, version]));
  expect(versionsOf(READ_MODELS)).toEqual(versionsOf(PROJECTIONS));
});
