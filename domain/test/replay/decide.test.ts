import { describe, expect, test } from 'vitest';
import { DomainError } from '../../src/error-catalogue.ts';
import type { ReplayStatus } from '../../src/replay/commands.ts';
import {
  cancelRebuild,
  pauseRebuild,
  requestRebuild,
  requestSwap,
  resumeRebuild,
  retryParkedEvent,
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

/** Returns the events of a decision, or the code of its error. */
function resultOf(decide: () => unknown): unknown {
  try {
    return decide();
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
}

describe('a rebuild', () => {
  test.each([
    [
      'is requested',
      'RebuildRequested',
      (now: ReplayStatus) => requestRebuild({ projection: NAME, rebuildId: 'r2', status: now }, after, CONTEXT),
      ['swapped', 'reverted', 'cancelled', 'failed'],
      'REBUILD_UNDER_WAY',
    ],
    [
      'is paused',
      'RebuildPaused',
      (now: ReplayStatus) => pauseRebuild({ projection: NAME, status: now }, after, CONTEXT),
      ['running', 'checking'],
      'REBUILD_NOT_POSSIBLE',
    ],
    [
      'is resumed',
      'RebuildResumed',
      (now: ReplayStatus) => resumeRebuild({ projection: NAME, status: now }, after, CONTEXT),
      ['paused'],
      'REBUILD_NOT_POSSIBLE',
    ],
    [
      'is cancelled',
      'RebuildCancelled',
      (now: ReplayStatus) => cancelRebuild({ projection: NAME, status: now }, after, CONTEXT),
      ['running', 'paused', 'checking', 'ready'],
      'REBUILD_NOT_POSSIBLE',
    ],
    [
      'is swapped in',
      'RebuildSwapRequested',
      (now: ReplayStatus) => requestSwap({ projection: NAME, status: now }, after, CONTEXT),
      ['ready'],
      'REBUILD_NOT_POSSIBLE',
    ],
  ] as const)('%s only in the allowed states', (_what, type, decide, allowed, rejection) => {
    const allowedStates: readonly RebuildState[] = allowed;
    for (const state of REBUILD_STATES)
      expect(
        resultOf(() => decide(standing(state))),
        state,
      ).toEqual(
        allowedStates.includes(state)
          ? [{ type, data: { projection: NAME, rebuildId: type === 'RebuildRequested' ? 'r2' : 'r1' } }]
          : rejection,
      );
  });

  test('cannot be requested twice before it has begun', () => {
    expect(
      resultOf(() =>
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
    expect(resultOf(() => revertRebuild({ projection: NAME, status: standing('swapped') }, after, CONTEXT))).toBe(
      'NO_PREVIOUS_VERSION',
    );
    expect(
      resultOf(() =>
        revertRebuild({ projection: NAME, status: standing('swapped', { isReverting: true }) }, after, CONTEXT),
      ),
    ).toBe('REBUILD_UNDER_WAY');
    expect(
      resultOf(() =>
        revertRebuild({ projection: NAME, status: standing('swapping', { isReverting: false }) }, after, CONTEXT),
      ),
    ).toBe('REBUILD_UNDER_WAY');
    expect(
      resultOf(() =>
        revertRebuild({ projection: NAME, status: standing('swapped', { isReverting: false }) }, after, CONTEXT),
      ),
    ).toEqual([{ type: 'RebuildReverted', data: { projection: NAME } }]);
  });
});

test('an event is excluded once, up to a maximum of events', () => {
  const event = { eventId: 'e1', position: '1', subjectId: null, reason: 'By mistake.' };
  expect(skipParkedEvent({ ...event, projection: NAME }, replay.initial, CONTEXT)).toEqual([
    { type: 'ParkedEventSkipped', data: { ...event, projection: NAME } },
  ]);
  expect(skipParkedEvent({ ...event, projection: NAME }, { ...after, skippedEventIds: ['e1'] }, CONTEXT)).toEqual([]);
  expect(
    resultOf(() =>
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

test('an event is retried each time that an admin asks for it', () => {
  const command = { projection: NAME, eventId: 'e1', position: '1' };
  expect(retryParkedEvent(command, replay.initial, CONTEXT)).toEqual([{ type: 'ParkedEventRetried', data: command }]);
});
