import { describe, expect, test } from 'vitest';
import { readOptions } from '../run-options.mjs';

const NONE = { all: false, nightly: false, audit: false, changed: false, parts: [], ofVitest: [] };

describe('npm test', () => {
  test.each([
    [[], {}],
    [['--all', '--audit'], { all: true, audit: true }],
    [['integration/ads', 'mf-'], { parts: ['integration/ads', 'mf-'] }],
    [['--changed', 'main'], { changed: true, parts: ['main'] }],
  ])('reads %j', (args, expected) => {
    expect(readOptions(args)).toEqual({ ...NONE, ...expected });
  });

  test.each([
    [['-t', 'bumps an ad'], { ofVitest: ['-t', 'bumps an ad'] }],
    [['ads', '-t', 'bumps an ad'], { parts: ['ads'], ofVitest: ['-t', 'bumps an ad'] }],
    [['-t', 'bumps an ad', 'ads', '--all'], { all: true, ofVitest: ['-t', 'bumps an ad', 'ads'] }],
    [['--bail=1', '--', 'ads'], { ofVitest: ['--bail=1', '--', 'ads'] }],
  ])('leaves other options and all after them to Vitest: %j', (args, expected) => {
    expect(readOptions(args)).toEqual({ ...NONE, ...expected });
  });
});
