import { describe, expect, test } from 'vitest';
import { parseProveOptions } from './prove.ts';

describe('parseProveOptions', () => {
  test('runs for 10 minutes with two processes of each service by default', () => {
    expect(parseProveOptions(['--seed', '7'])).toEqual({
      minutes: 10,
      operations: null,
      seed: 7,
      each: 2,
      clients: 16,
      isEmbedded: false,
      only: null,
      testsItself: false,
    });
  });
  test('does not limit the duration of a run with a number of operations', () => {
    expect(parseProveOptions(['--operations', '2000000'])).toMatchObject({ minutes: Infinity, operations: 2_000_000 });
  });
  test('selects disruptions, or defects by parts of their names', () => {
    expect(parseProveOptions(['--only', 'kill,pause'])).toMatchObject({ only: ['kill', 'pause'], testsItself: false });
    expect(parseProveOptions(['--only', 'none'])).toMatchObject({ only: [] });
    expect(parseProveOptions(['--faults', '--only', 'mail'])).toMatchObject({ only: ['mail'], testsItself: true });
  });
  test('uses Postgres for events, or EventStoreDB without the disruptions that lose commits of Postgres', () => {
    expect(parseProveOptions(['--event-store', 'postgres'])).not.toHaveProperty('eventStore');
    const args = ['--event-store', 'esdb', '--only', 'kill,kill-service'];
    expect(parseProveOptions(args)).toMatchObject({ eventStore: 'esdb', only: ['kill', 'kill-service'] });
    expect(parseProveOptions(['--only', 'restore'])).toMatchObject({ only: ['restore'] });
  });
  test.each([
    [['--minutes', 'ten']],
    [['--minutes', '0']],
    [['--operations', '0']],
    [['--seed', 'x']],
    [['--each', '0.5']],
    [['--only', 'kil']],
    [['--unknown']],
    [['--event-store', 'kafka']],
    [['--event-store', 'esdb', '--only', 'restore']],
    [['--event-store', 'esdb', '--faults']],
    [['ten']],
  ])('rejects %j', (args) => {
    expect(() => parseProveOptions(args)).toThrow();
  });
});
