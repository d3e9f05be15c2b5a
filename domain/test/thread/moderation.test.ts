import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import {
  requireVisiblePostAuthor,
  hidePost,
  lockThread,
  moveThread,
  pinThread,
  requireVisibleThread,
  restorePost,
} from '../../src/thread/decide.ts';
import type { ThreadEvent } from '../../src/thread/events.ts';
import { findPost } from '../../src/thread/post-list.ts';
import { isVisiblePost, thread, type ThreadState } from '../../src/thread/state.ts';
import { givenAggregate } from '../given.ts';
import { deleted, hidden, threadEvent, place, replied, restored, started, threadId } from './events.ts';

const given = givenAggregate(thread);
const stateAfter = (...events: readonly ThreadEvent[]): ThreadState => given(...events).state;

describe('hiding a post', () => {
  const hiding =
    (number: number, by: 'moderator' | 'report' = 'moderator', reason: string | null = null) =>
    (state: ThreadState, context: DecisionContext) =>
      hidePost({ number, by, reason }, state, context);
  test('hides the post, with a reason for its author', () => {
    given(started, replied(1))
      .when(hiding(1, 'moderator', 'Somebody’s number.'))
      .then(hidden(1, 'ben', { reason: 'Somebody’s number.' }));
    given(started)
      .when(hiding(0, 'report'))
      .then(hidden(0, 'anna', { by: 'report' }));
  });
  test('does nothing the second time', () => {
    given(started, hidden(0, 'anna')).when(hiding(0)).then();
    given(started, hidden(0, 'anna', { by: 'report' }))
      .when(hiding(0, 'report'))
      .then();
  });
  test('does not change the revision of its text, but an edit does', () => {
    const edited: ThreadEvent = {
      type: 'PostEdited',
      data: { threadId, number: 0, accountId: 'anna', body: 'Something else.', fingerprint: '#else' },
    };
    const revisionAfter = (...events: ThreadEvent[]) => {
      const { state } = given(...events);
      return state && findPost(state.posts, 0)?.contentRevision;
    };
    expect(revisionAfter(started, hidden(0, 'anna', { by: 'report' }), restored(0, 'anna'))).toBe(0);
    expect(revisionAfter(started, hidden(0, 'anna', { by: 'report' }), restored(0, 'anna'), edited)).toBe(3);
  });
  test('is rejected for a deleted or unknown post', () => {
    given(started, deleted(0, 'anna')).when(hiding(0)).thenThrows('POST_NOT_FOUND');
    given(started).when(hiding(1)).thenThrows('POST_NOT_FOUND');
    given().when(hiding(0)).thenThrows('THREAD_NOT_FOUND');
  });
});

describe('restoring a post', () => {
  const restoring = (number: number) => (state: ThreadState, context: DecisionContext) =>
    restorePost({ number }, state, context);
  test('shows a hidden post again', () => {
    given(started, hidden(0, 'anna')).when(restoring(0)).then(restored(0, 'anna'));
  });
  test('does nothing for a visible post', () => {
    given(started).when(restoring(0)).then();
  });
  test('is rejected for a deleted or unknown post', () => {
    given(started, hidden(0, 'anna'), deleted(0, 'anna')).when(restoring(0)).thenThrows('POST_NOT_FOUND');
    given(started).when(restoring(7)).thenThrows('POST_NOT_FOUND');
    given().when(restoring(0)).thenThrows('THREAD_NOT_FOUND');
  });
});

describe('closing and pinning a thread', () => {
  test('closes and opens, pins and unpins', () => {
    given(started).decide(lockThread, { isLocked: true }).then(threadEvent('ThreadLocked'));
    given(started, threadEvent('ThreadLocked'))
      .decide(lockThread, { isLocked: false })
      .then(threadEvent('ThreadUnlocked'));
    given(started).decide(pinThread, { isPinned: true }).then(threadEvent('ThreadPinned'));
    given(started, threadEvent('ThreadPinned'))
      .decide(pinThread, { isPinned: false })
      .then(threadEvent('ThreadUnpinned'));
  });
  test('does nothing if the thread already has the state', () => {
    given(started).decide(lockThread, { isLocked: false }).then();
    given(started, threadEvent('ThreadLocked')).decide(lockThread, { isLocked: true }).then();
    given(started, threadEvent('ThreadLocked'), threadEvent('ThreadUnlocked'))
      .decide(lockThread, { isLocked: false })
      .then();
    given(started, threadEvent('ThreadPinned')).decide(pinThread, { isPinned: true }).then();
    given(started, threadEvent('ThreadPinned'), threadEvent('ThreadUnpinned'))
      .decide(pinThread, { isPinned: false })
      .then();
  });
  test('is rejected for an unknown thread', () => {
    given().decide(lockThread, { isLocked: true }).thenThrows('THREAD_NOT_FOUND');
    given().decide(pinThread, { isPinned: true }).thenThrows('THREAD_NOT_FOUND');
  });
});

describe('moving a thread', () => {
  const reno = { country: 'us', state: 'NV', city: 'Reno' };
  const moved = { type: 'ThreadMoved', data: { threadId, ...reno } } as const;
  test('moves the thread to another city', () => {
    given(started).decide(moveThread, reno).then(moved);
  });
  test('does nothing for the same city', () => {
    given(started).decide(moveThread, place).then();
    given(started, moved).decide(moveThread, reno).then();
  });
  test('is rejected for an unknown thread', () => {
    given().decide(moveThread, reno).thenThrows('THREAD_NOT_FOUND');
  });
});

describe('visibility', () => {
  test('returns the author of a visible post', () => {
    expect(requireVisiblePostAuthor(1, stateAfter(started, replied(1)))).toBe('ben');
    expect(isVisiblePost(1, stateAfter(started, replied(1)))).toBe(true);
  });
  test.each([
    ['hidden', stateAfter(started, replied(1), hidden(1, 'ben')), 'POST_NOT_FOUND'],
    ['deleted', stateAfter(started, replied(1), deleted(1, 'ben')), 'POST_NOT_FOUND'],
    ['not there', stateAfter(started), 'POST_NOT_FOUND'],
    ['in a hidden thread', stateAfter(started, replied(1), hidden(0, 'anna')), 'THREAD_NOT_FOUND'],
    [
      'in a hidden thread whose author deleted its opening post after',
      stateAfter(started, replied(1), hidden(0, 'anna'), deleted(0, 'anna')),
      'THREAD_NOT_FOUND',
    ],
    ['in no thread', null, 'THREAD_NOT_FOUND'],
  ])('excludes a post that is %s', (_what, state, code) => {
    expect(() => requireVisiblePostAuthor(1, state)).toThrow(expect.objectContaining({ code }));
    expect(isVisiblePost(1, state)).toBe(false);
  });
  test('includes a thread whose opening post was deleted, but not one whose opening post is hidden', () => {
    for (const state of [
      stateAfter(started),
      stateAfter(started, deleted(0, 'anna')),
      stateAfter(started, hidden(0, 'anna'), restored(0, 'anna')),
    ])
      expect(requireVisibleThread(state)).toBe(state);
    for (const state of [
      null,
      stateAfter(started, hidden(0, 'anna')),
      stateAfter(started, hidden(0, 'anna'), deleted(0, 'anna')),
    ])
      expect(() => requireVisibleThread(state)).toThrow(expect.objectContaining({ code: 'THREAD_NOT_FOUND' }));
  });
});
