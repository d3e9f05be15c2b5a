import { expect, test } from 'vitest';
import { READ_MODELS } from '../../infra/src/read-models/index.ts';
import { PROJECTIONS } from '../../projectors/src/projections/index.ts';

test('a projection fills each declared read model', () => {
  // Otherwise, the start of the product would wait for a read model that no projection fills.
  expect(READ_MODELS.map(({ name, version, columns, tables }) => ({ name, version, columns, tables }))).toEqual(
    PROJECTIONS.map(({ name, version, columns, tallies = [] }) => ({
      name,
      version,
      columns,
      tables: [name, ...tallies.map((tally) => tally.name)],
    })),
  );
});
