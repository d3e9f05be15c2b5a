import { describe, expect, test } from 'vitest';
import { STATES, findCity, findCityBySlug, getOtherCityWords } from '../src/places/places.ts';

describe('a city is found by short names, nicknames and other spellings', () => {
  test.each([
    ['Saint Petersburg', 'St. Petersburg'],
    ['st petersburg', 'St. Petersburg'],
    ['Port Saint Lucie', 'Port St. Lucie'],
    ['Ft. Lauderdale', 'Fort Lauderdale'],
    ['ft worth', 'Fort Worth'],
    ['Mt. Vernon', 'Mount Vernon'],
    ['New York', 'New York City'],
    ['NYC', 'New York City'],
    ['L.A.', 'Los Angeles'],
    ['SF', 'San Francisco'],
    ['Vegas', 'Las Vegas'],
    ['las-vegas', 'Las Vegas'],
    ['N Las Vegas', 'North Las Vegas'],
    ['N. Las Vegas', 'North Las Vegas'],
    ['n-las-vegas', 'North Las Vegas'],
    ['NLV', 'North Las Vegas'],
    ['W Palm Beach', 'West Palm Beach'],
    ['West Palm', 'West Palm Beach'],
    ['W. Palm', 'West Palm Beach'],
    ['W. Wendover', 'West Wendover'],
    ['Lake Havasu', 'Lake Havasu City'],
    ['Carson', 'Carson City'],
    ['boulder', 'Boulder City'],
    ['Niagara', 'Niagara Falls'],
    ['Corpus', 'Corpus Christi'],
    ['Mc Kinney', 'McKinney'],
    ['PHX', 'Phoenix'],
    ['ATX', 'Austin'],
    ['HTX', 'Houston'],
    ['Jax', 'Jacksonville'],
    ['New York, NY', 'New York City'],
    ['New York City, New York', 'New York City'],
    ['new-york-ny', 'New York City'],
    ['Las Vegas, NV', 'Las Vegas'],
    ['Las Vegas NV', 'Las Vegas'],
    ['las vegas, nevada', 'Las Vegas'],
    ['Las Vegas, NV, USA', 'Las Vegas'],
    ['Las Vegas, NV 89101, United States', 'Las Vegas'],
    ['Vegas, NV', 'Las Vegas'],
    ['N. Las Vegas, Nev', null],
    ['Frisco', 'Frisco'],
    ['Ft. Worth, TX', 'Fort Worth'],
  ])('%s is %s', (text, city) => expect(findCity(text)?.city ?? null).toBe(city));

  test.each(['Philly', 'DFW', 'Saint', 'City', 'N', 'North', 'West', 'NV', 'Nevada', ', NV', 'Las', 'Mc', ''])(
    '%j is no city',
    (text) => expect(findCity(text)).toBeNull(),
  );

  test('in its own state only', () => {
    expect(findCity('Saint Petersburg', 'fl')?.city).toBe('St. Petersburg');
    expect(findCity('Saint Petersburg', 'NV')).toBeNull();
    expect(findCity('Long Beach, NY')?.state.code).toBe('NY');
    expect(findCity('Reno, CA')).toBeNull();
    expect(findCity('Reno, NV', 'CA')).toBeNull();
    expect(findCity('Peoria, Illinois')?.state.code).toBe('IL');
  });

  test('and each city by its own name, its slug, and with its state', () => {
    for (const state of STATES)
      for (const city of state.cities)
        for (const text of [city, city.toUpperCase(), `${city}, ${state.code}`, `${city} ${state.name}`])
          expect(findCity(text, state.code), text).toEqual({ state, city });
  });

  test('each nickname belongs to exactly one city', () => {
    const cities = STATES.flatMap(({ cities: names }) => names);
    const names = cities.flatMap((city) =>
      getOtherCityWords(city)
        .split(' ')
        .filter((word) => findCity(word)),
    );
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) expect(cities.filter((city) => findCity(name)?.city === city)).toHaveLength(1);
  });
});

test('the slug of a city is not one of its other names', () => {
  expect(findCityBySlug('St. Petersburg')?.city).toBe('St. Petersburg');
  expect(findCityBySlug('las-vegas')?.city).toBe('Las Vegas');
  for (const name of ['vegas', 'nyc', 'saint-petersburg', 'new-york', '']) expect(findCityBySlug(name)).toBeNull();
});

test('short forms, long forms and nicknames are search words of a city', () => {
  expect(getOtherCityWords('St. Petersburg')).toContain('saint');
  expect(getOtherCityWords('Fort Worth')).toContain('ft');
  expect(getOtherCityWords('New York City')).toContain('nyc');
  expect(getOtherCityWords('West Palm Beach').split(' ')).toEqual(expect.arrayContaining(['w', 'wpb']));
  expect(getOtherCityWords('McKinney')).toContain('mc-kinney');
  expect(getOtherCityWords('Reno')).toBe('');
});
