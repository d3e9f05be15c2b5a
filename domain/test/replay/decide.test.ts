import { describe, expect, test } from 'vitest';
import { DomainError } from '../../src/errors.ts';
import {
  cancelRebuild,
  pauseRebuild,
  requestRebuild,
  requestSwap,
  resumeRebuild,
  revertRebuild,
  SKIPPED_EVENTS_MAX,
  skipParkedEvent,
  type ReplayStanding,
} from '../../src/replay/decide.ts';
import { REBUILD_STATES, type RebuildState } from '../../src/replay/fields.ts';
import { replay } from '../../src/replay/state.ts';

const NAME = 'ad_cards';
const standing = (state: RebuildState | null, previous: ReplayStanding['previous'] = null): ReplayStanding => ({
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
      'is asked for',
      requestRebuild.bind(null, NAME, 'r2'),
      ['swapped', 'reverted', 'cancelled', 'failed'],
      'REBUILD_UNDER_WAY',
    ],
    ['pauses', (now: ReplayStanding) => pauseRebuild(NAME, now), ['running', 'checking'], 'REBUILD_NOT_POSSIBLE'],
    ['goes on', (now: ReplayStanding) => resumeRebuild(NAME, now), ['paused'], 'REBUILD_NOT_POSSIBLE'],
    [
      'is cancelled',
      (now: ReplayStanding) => cancelRebuild(NAME, now),
      ['running', 'paused', 'checking', 'ready'],
      'REBUILD_NOT_POSSIBLE',
    ],
    ['is swapped in', (now: ReplayStanding) => requestSwap(NAME, now), ['ready'], 'REBUILD_NOT_POSSIBLE'],
  ] as const)('%s only where that can be done', (_what, decide, allowed, refusal) => {
    const allowedStates: readonly RebuildState[] = allowed;
    for (const state of REBUILD_STATES)
      expect(
        codeOf(() => decide(standing(state), after)),
        state,
      ).toBe(allowedStates.includes(state) ? null : refusal);
  });

  test('that was asked for and is not begun yet is not asked for twice', () => {
    expect(codeOf(() => requestRebuild(NAME, 'r2', standing('swapped'), { ...after, rebuildId: 'r-not-begun' }))).toBe(
      'REBUILD_UNDER_WAY',
    );
    expect(requestRebuild(NAME, 'r1', standing(null), replay.initial)).toEqual([
      { type: 'RebuildRequested', data: { projection: NAME, rebuildId: 'r1' } },
    ]);
  });

  test('is gone back from where something was kept, and once at a time', () => {
    expect(codeOf(() => revertRebuild(NAME, standing('swapped')))).toBe('NO_PREVIOUS_VERSION');
    expect(codeOf(() => revertRebuild(NAME, standing('swapped', { isReverting: true })))).toBe('REBUILD_UNDER_WAY');
    expect(codeOf(() => revertRebuild(NAME, standing('swapping', { isReverting: false })))).toBe('REBUILD_UNDER_WAY');
    expect(codeOf(() => revertRebuild(NAME, standing('swapped', { isReverting: false })))).toBe(null);
  });
});

test('an event is left out once, and so many at most', () => {
  const event = { eventId: 'e1', position: '1', subjectId: null, reason: 'By mistake.' };
  expect(skipParkedEvent(NAME, event, replay.initial)).toHaveLength(1);
  expect(skipParkedEvent(NAME, event, { ...after, skipped: ['e1'] })).toEqual([]);
  expect(
    codeOf(() =>
      skipParkedEvent(NAME, event, {
        ...after,
        skipped: Array.from({ length: SKIPPED_EVENTS_MAX }, (_, n) => `other-${n}`),
      }),
    ),
  ).toBe('TOO_MANY_SKIPPED');
});
