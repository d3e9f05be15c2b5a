import { describe, expect, test } from 'vitest';
import { finishPrices, followPrices, typePrice, type PriceEdit, type Prices } from '../src/lists/price-edit.ts';
import { NO_FILTER } from '../src/lists/filters.ts';
import { applyChanges } from '../src/lists/use-list-filter.ts';

const range = (minPrice: number | null, maxPrice: number | null): Prices => ({ minPrice, maxPrice });
const NONE = range(null, null);

/** Types each text into the field `from`. Returns the last edit and all reported prices. */
function typeFrom(value: Prices, ...texts: readonly string[]) {
  let edit: PriceEdit | null = null;
  const reported: Prices[] = [];
  for (const from of texts) {
    const typed = typePrice(edit, value, { from });
    edit = typed.edit;
    if (typed.prices) reported.push(typed.prices);
  }
  if (!edit) throw new Error('Nothing was typed');
  return { edit, reported };
}

describe('typed prices', () => {
  test('are reported at once', () => {
    expect(typeFrom(NONE, '1', '10', '100').reported).toEqual([range(1, null), range(10, null), range(100, null)]);
    expect(typeFrom(range(100, null), '0100').reported, 'the same price').toEqual([]);
    expect(typeFrom(NONE, '0').reported, 'zero is no price').toEqual([]);
  });

  test('have separators, and the fields keep them until the visitor leaves', () => {
    const { edit, reported } = typeFrom(NONE, '1', '1.', '1.5', '1.50', '1.500', '1.500,', '1.500,0', '1.500,00');
    expect(reported).toEqual([range(1, null), range(1500, null)]);
    expect(edit.from).toBe('1.500,00');
    expect(typeFrom(NONE, '1', '1 ', '1 5', '1 50', '1 500').reported.at(-1)).toEqual(range(1500, null));
  });

  test('are reported in the right order, but do not change places while the visitor types', () => {
    const { edit, reported } = typeFrom(range(null, 150), '2', '20', '200');
    expect(reported.at(-1)).toEqual(range(150, 200));
    expect(edit).toMatchObject({ from: '200', to: '150' });
    expect(followPrices(edit, range(150, 200))).toMatchObject({ from: '200', to: '150' });
  });

  test('stay when an earlier value comes back late', () => {
    const { edit } = typeFrom(NONE, '1', '10', '100');
    const late = followPrices(edit, range(10, null));
    expect(late).toMatchObject({ from: '100', reported: [range(100, null)] });
  });

  test('are replaced by another value, e.g. after the Back button', () => {
    const { edit } = typeFrom(NONE, '1', '10');
    expect(followPrices(edit, range(70, null))).toBeNull();
  });

  test('stay after the visitor has left the field, until they are the value', () => {
    const { edit } = typeFrom(NONE, '1', '10');
    const done = finishPrices(edit);
    expect(done).toMatchObject({ from: '10', isDone: true });
    const first = done && followPrices(done, range(1, null));
    expect(first).toMatchObject({ from: '10' });
    expect(first && followPrices(first, range(10, null))).toBeNull();
    expect(finishPrices(typeFrom(NONE, '0').edit), 'nothing to wait for').toBeNull();
  });
});

test('a change applies to the latest filter and keeps a change that is not rendered yet', () => {
  const rendered = { ...NO_FILTER, q: 'quiet' };
  const latest = { ...rendered, minPrice: 100 };
  expect(applyChanges(latest, rendered, { ...rendered, category: 'massage' })).toEqual({
    ...rendered,
    minPrice: 100,
    category: 'massage',
  });
  expect(applyChanges(latest, rendered, { ...rendered, q: '' })).toEqual({ ...NO_FILTER, minPrice: 100 });
});
