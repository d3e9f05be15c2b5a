import { describe, expect, it } from 'vitest';
import { findSkippedTests } from './skipped-tests.mjs';

describe('findSkippedTests', () => {
  const outages = 'EventStoreDB, broken connections: not run, the proxy needs one node, without TLS or local';
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

  it('accepts a run without skipped tests', () => {
    for (const withoutOutages of [true, false])
      expect(findSkippedTests(results(), { withoutOutages })).toEqual({ names: [], isAccepted: true });
  });

  it('accepts skipped tests only if withoutOutages is set and they are tests of broken connections', () => {
    expect(findSkippedTests(results(outages), { withoutOutages: false })).toEqual({
      names: [outages],
      isAccepted: false,
    });
    expect(findSkippedTests(results(outages), { withoutOutages: true })).toEqual({
      names: [outages],
      isAccepted: true,
    });
    expect(findSkippedTests(results(outages, 'another'), { withoutOutages: true })).toEqual({
      names: [outages, 'another'],
      isAccepted: false,
    });
  });
});
