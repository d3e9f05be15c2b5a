import { describe, expect, test } from 'vitest';
import { readArguments } from './arguments.mjs';

describe('the arguments of a benchmark', () => {
  test.each([
    ['bench', []],
    ['bench:cluster', ['cluster']],
    ['bench:erasures', ['erasures']],
    ['bench:mails', ['mails']],
    ['bench:peers', ['peers']],
    ['bench:web', ['web']],
  ])('of npm run %s give its usage with --help, and with an error for an unknown option', (script, name) => {
    const usage = expect.stringMatching(new RegExp(`^Usage: npm run ${script}(?: |$)`, 'u'));
    expect(readArguments([...name, '--help'])).toEqual({ usage, error: null });
    const error = expect.stringContaining("Unknown option '--unknown'");
    expect(readArguments([...name, '--unknown'])).toEqual({ usage, error });
  });

  test.each([
    ['Unknown part: nothing', ['store', 'nothing']],
    ["Option '--json <value>' argument missing", ['--json']],
    ['Unknown part: memory', ['cluster', 'latency', 'memory']],
    ['Unknown argument: many', ['erasures', '1000', 'many']],
    ['Unknown argument: 0', ['mails', '0']],
    ['Unknown argument: 2000', ['mails', '1000', '2000']],
    ['Unknown argument: now', ['peers', 'now']],
    ["Option '--before <value>' argument missing", ['web', '--before']],
    ['Unknown argument: now', ['web', 'now']],
  ])('are rejected with "%s": %j', (error, args) => {
    expect(readArguments(args)).toMatchObject({ error });
  });

  test.each([
    ['main', [], [], {}, true],
    ['main', ['--short'], [], { short: true }, false],
    ['main', ['store', '--json', 'browser'], ['store'], { json: 'browser' }, false],
    ['main', ['store', 'browser'], ['store', 'browser'], {}, true],
    ['cluster', ['--quick', 'relay'], ['relay'], { quick: true }, false],
    ['erasures', ['1000', '115000'], ['1000', '115000'], {}, false],
    ['web', ['--before', 'HEAD~1'], [], { before: 'HEAD~1' }, true],
  ])(
    'of %s are read: %j are %j and %j, and decide whether it opens pages',
    (name, all, others, options, opensPages) => {
      const args = { others, options };
      expect(readArguments(name === 'main' ? all : [name, ...all])).toEqual({ name, args, opensPages });
    },
  );
});
