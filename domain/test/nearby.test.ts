import { expect, test } from 'vitest';
import { listNearbyCities, STATES } from '../src/index.ts';

const EVERY_CITY = STATES.flatMap(({ code, cities }) => cities.map((city) => [code, city] as const));

test.each(EVERY_CITY)('%s, %s is the first city near itself', (state, city) => {
  const [first, second] = listNearbyCities(state, city);
  expect(first).toEqual({ state, city, distance_km: 0 });
  expect(second?.distance_km).toBeGreaterThan(0);
});

test('distances are those of a map', () => {
  const distance = (city: string) =>
    Math.round(listNearbyCities('NV', 'Las Vegas').find((near) => near.city === city)?.distance_km ?? 0);
  expect(distance('Henderson')).toBeGreaterThan(15);
  expect(distance('Henderson')).toBeLessThan(30);
  expect(distance('Reno')).toBeGreaterThan(530);
  expect(distance('Reno')).toBeLessThan(580);
});

test('cities of other states are nearby up to 250 km', () => {
  const near = listNearbyCities('NV', 'Laughlin').map(({ city }) => city);
  expect(near).toContain('Lake Havasu City');
  expect(near).toContain('Reno');
  expect(near).not.toContain('Phoenix');
});

test('an unknown city has no cities nearby', () => {
  expect(listNearbyCities('NV', 'Paris')).toEqual([]);
});
