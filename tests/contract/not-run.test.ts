import { describe, expect, it } from 'vitest';
import { notRun } from './not-run.mjs';

describe('a run of the contract suites over a store', () => {
  const outages =
    'EventStoreDB, broken connections: not run, a proxy can stand in front of one node only, without TLS or on this machine';
  const results = (...skipped: string[]) => ({
    testResults: [
      {
        assertionResults: [
          { status: 'passed', fullName: 'a' },
          { status: 'failed', fullName: 'b' },
          ...skipped.map((fullName) => ({ status: 'skipped', fullName })),
        ],
      },
    ],
  });

  it('is whole where nothing was left out', () => {
    for (const withoutOutages of [true, false])
      expect(notRun(results(), { withoutOutages })).toEqual({ names: [], isAccepted: true });
  });

  it('may leave out broken connections where that was said, and nothing else', () => {
    expect(notRun(results(outages), { withoutOutages: false })).toEqual({ names: [outages], isAccepted: false });
    expect(notRun(results(outages), { withoutOutages: true })).toEqual({ names: [outages], isAccepted: true });
    expect(notRun(results(outages, 'another'), { withoutOutages: true })).toEqual({
      names: [outages, 'another'],
      isAccepted: false,
    });
  });
});
