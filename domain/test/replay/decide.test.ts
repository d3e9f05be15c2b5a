import { describe, expect, test } from 'vitest';
import { DomainError } from '../../src/error-catalogue.ts';
import type { ReplayStatus } from '../../src/replay/commands.ts';
import {
  cancelRebuild,
  pauseRebuild,
  requestRebuild,
  requestSwap,
  resumeRebuild,
  revertRebuild,
  SKIPPED_EVENTS_MAX,
  skipParkedEvent,
} from '../../src/replay/decide.ts';
import { REBUILD_STATES, type RebuildState } from '../../src/replay/fields.ts';
import { replay } from '../../src/replay/state.ts';
import { CONTEXT } from '../given.ts';

const NAME = 'ad_cards';
const standing = (state: RebuildState | null, previous: ReplayStatus['previous'] = null): ReplayStatus => ({
  rebuild: state && { rebuildId: 'r1', state },
  previous,
});
const after = { ...replay.initial, rebuildId: 'r1' };

function codeOf(decide: () => unknown): string | null {
  try {
    decide();
    return null;
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
}

describe('a rebuild', () => {
  test.each([
    [
      'is requested',
      (now: ReplayStatus) => requestRebuild({ projection: NAME, rebuildId: 'r2', status: now }, after, CONTEXT),
      ['swapped', 'reverted', 'cancelled', 'failed'],
      'REBUILD_UNDER_WAY',
    ],
    [
      'is paused',
      (now: ReplayStatus) => pauseRebuild({ projection: NAME, status: now }, after, CONTEXT),
      ['running', 'checking'],
      'REBUILD_NOT_POSSIBLE',
    ],
    [
      'is resumed',
      (now: ReplayStatus) => resumeRebuild({ projection: NAME, status: now }, after, CONTEXT),
      ['paused'],
      'REBUILD_NOT_POSSIBLE',
    ],
    [
      'is cancelled',
      (now: ReplayStatus) => cancelRebuild({ projection: NAME, status: now }, after, CONTEXT),
      ['running', 'paused', 'checking', 'ready'],
      'REBUILD_NOT_POSSIBLE',
    ],
    [
      'is swapped in',
      (now: ReplayStatus) => requestSwap({ projection: NAME, status: now }, after, CONTEXT),
      ['ready'],
      'REBUILD_NOT_POSSIBLE',
    ],
  ] as const)('%s only in the allowed states', (_what, decide, allowed, rejection) => {
    const allowedStates: readonly RebuildState[] = allowed;
    for (const state of REBUILD_STATES)
      expect(
        codeOf(() => decide(standing(state))),
        state,
      ).toBe(allowedStates.includes(state) ? null : rejection);
  });

  test('cannot be requested twice before it has begun', () => {
    expect(
      codeOf(() =>
        requestRebuild(
          { projection: NAME, rebuildId: 'r2', status: standing('swapped') },
          { ...after, rebuildId: 'r-not-begun' },
          CONTEXT,
        ),
      ),
    ).toBe('REBUILD_UNDER_WAY');
    expect(
      requestRebuild({ projection: NAME, rebuildId: 'r1', status: standing(null) }, replay.initial, CONTEXT),
    ).toEqual([{ type: 'RebuildRequested', data: { projection: NAME, rebuildId: 'r1' } }]);
  });

  test('is reverted only if a previous version exists, and once at a time', () => {
    expect(codeOf(() => revertRebuild({ projection: NAME, status: standing('swapped') }, after, CONTEXT))).toBe(
      'NO_PREVIOUS_VERSION',
    );
    expect(
      codeOf(() =>
        revertRebuild({ projection: NAME, status: standing('swapped', { isReverting: true }) }, after, CONTEXT),
      ),
    ).toBe('REBUILD_UNDER_WAY');
    expect(
      codeOf(() =>
        revertRebuild({ projection: NAME, status: standing('swapping', { isReverting: false }) }, after, CONTEXT),
      ),
    ).toBe('REBUILD_UNDER_WAY');
    expect(
      codeOf(() =>
        revertRebuild({ projection: NAME, status: standing('swapped', { isReverting: false }) }, after, CONTEXT),
      ),
    ).toBe(null);
  });
});

test('an event is excluded once, up to a maximum of events', () => {
  const event = { eventId: 'e1', position: '1', subjectId: null, reason: 'By mistake.' };
  expect(skipParkedEvent({ ...event, projection: NAME }, replay.initial, CONTEXT)).toHaveLength(1);
  expect(skipParkedEvent({ ...event, projection: NAME }, { ...after, skippedEventIds: ['e1'] }, CONTEXT)).toEqual([]);
  expect(
    codeOf(() =>
      skipParkedEvent(
        { ...event, projection: NAME },
        {
          ...after,
          skippedEventIds: Array.from({ length: SKIPPED_EVENTS_MAX }, (_, n) => `other-${n}`),
        },
        CONTEXT,
      ),
    ),
  ).toBe('TOO_MANY_SKIPPED');
});
