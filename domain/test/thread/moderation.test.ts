import { describe, expect, test } from 'vitest';
import {
  authorOfVisiblePost,
  hidePost,
  isVisiblePost,
  lockThread,
  moveThread,
  pinThread,
  requireReachableThread,
  restorePost,
} from '../../src/thread/decide.ts';
import type { ThreadEvent } from '../../src/thread/events.ts';
import { thread, type ThreadState } from '../../src/thread/state.ts';
import { given as givenOf } from '../given.ts';
import { deleted, hidden, ofThread, place, replied, restored, started, threadId } from './events.ts';

const given = givenOf(thread);
const stateAfter = (...events: readonly ThreadEvent[]): ThreadState => given(...events).state;

describe('hiding', () => {
  const hiding =
    (number: number, by: 'moderator' | 'report' = 'moderator', reason: string | null = null) =>
    (state: ThreadState) =>
      hidePost({ number, by, reason }, state);
  test('hides a post, with what its author is told', () => {
    given(started, replied(1))
      .when(hiding(1, 'moderator', 'Somebody’s number.'))
      .then(hidden(1, 'ben', { reason: 'Somebody’s number.' }));
    given(started)
      .when(hiding(0, 'report'))
      .then(hidden(0, 'anna', { by: 'report' }));
  });
  test('twice does nothing more', () => {
    given(started, hidden(0, 'anna')).when(hiding(0)).then();
    given(started, hidden(0, 'anna', { by: 'report' }))
      .when(hiding(0, 'report'))
      .then();
  });
  test('by a report is over once a moderator has let the post stand; by a moderator it never is', () => {
    given(started, hidden(0, 'anna', { by: 'report' }), restored(0, 'anna'))
      .when(hiding(0, 'report'))
      .then();
    given(started, hidden(0, 'anna', { by: 'report' }), restored(0, 'anna'))
      .when(hiding(0))
      .then(hidden(0, 'anna'));
  });
  test('by a report is possible again once a post that was let stand says something else', () => {
    const edited: ThreadEvent = {
      type: 'PostEdited',
      data: { threadId, number: 0, accountId: 'anna', body: 'Something else.', fingerprint: '#else' },
    };
    given(started, hidden(0, 'anna', { by: 'report' }), restored(0, 'anna'), edited)
      .when(hiding(0, 'report'))
      .then(hidden(0, 'anna', { by: 'report' }));
  });
  test('of what is deleted, or never was, is refused', () => {
    given(started, deleted(0, 'anna')).when(hiding(0)).thenRefused('POST_NOT_FOUND');
    given(started).when(hiding(1)).thenRefused('POST_NOT_FOUND');
    given().when(hiding(0)).thenRefused('THREAD_NOT_FOUND');
  });
});

describe('restoring', () => {
  const restoring = (number: number) => (state: ThreadState) => restorePost(number, state);
  test('shows a hidden post again', () => {
    given(started, hidden(0, 'anna')).when(restoring(0)).then(restored(0, 'anna'));
  });
  test('of what is shown does nothing, and clears nothing', () => {
    given(started).when(restoring(0)).then();
  });
  test('of what is deleted, or never was, is refused', () => {
    given(started, hidden(0, 'anna'), deleted(0, 'anna')).when(restoring(0)).thenRefused('POST_NOT_FOUND');
    given(started).when(restoring(7)).thenRefused('POST_NOT_FOUND');
    given().when(restoring(0)).thenRefused('THREAD_NOT_FOUND');
  });
});

describe('closing and pinning', () => {
  test('close and open, pin and unpin', () => {
    given(started)
      .when((state) => lockThread(true, state))
      .then(ofThread('ThreadLocked'));
    given(started, ofThread('ThreadLocked'))
      .when((state) => lockThread(false, state))
      .then(ofThread('ThreadUnlocked'));
    given(started)
      .when((state) => pinThread(true, state))
      .then(ofThread('ThreadPinned'));
    given(started, ofThread('ThreadPinned'))
      .when((state) => pinThread(false, state))
      .then(ofThread('ThreadUnpinned'));
  });
  test('what is so already stays so', () => {
    given(started)
      .when((state) => lockThread(false, state))
      .then();
    given(started, ofThread('ThreadLocked'))
      .when((state) => lockThread(true, state))
      .then();
    given(started, ofThread('ThreadLocked'), ofThread('ThreadUnlocked'))
      .when((state) => lockThread(false, state))
      .then();
    given(started, ofThread('ThreadPinned'))
      .when((state) => pinThread(true, state))
      .then();
    given(started, ofThread('ThreadPinned'), ofThread('ThreadUnpinned'))
      .when((state) => pinThread(false, state))
      .then();
  });
  test('a thread that is not there is neither', () => {
    given()
      .when((state) => lockThread(true, state))
      .thenRefused('THREAD_NOT_FOUND');
    given()
      .when((state) => pinThread(true, state))
      .thenRefused('THREAD_NOT_FOUND');
  });
});

describe('moving', () => {
  const reno = { country: 'us', state: 'NV', city: 'Reno' };
  const moved = { type: 'ThreadMoved', data: { threadId, ...reno } } as const;
  test('puts a thread in another city', () => {
    given(started)
      .when((state) => moveThread(reno, state))
      .then(moved);
  });
  test('to where it is does nothing', () => {
    given(started)
      .when((state) => moveThread(place, state))
      .then();
    given(started, moved)
      .when((state) => moveThread(reno, state))
      .then();
  });
  test('of a thread that is not there is refused', () => {
    given()
      .when((state) => moveThread(reno, state))
      .thenRefused('THREAD_NOT_FOUND');
  });
});

describe('what is to be seen', () => {
  test('of a post tells who wrote it', () => {
    expect(authorOfVisiblePost(1, stateAfter(started, replied(1)))).toBe('ben');
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
  ])('is no post that is %s', (_what, state, code) => {
    expect(() => authorOfVisiblePost(1, state)).toThrow(expect.objectContaining({ code }));
    expect(isVisiblePost(1, state)).toBe(false);
  });
  test('is a thread unless its opening post is hidden: one whose opening post is deleted has its replies', () => {
    for (const state of [
      stateAfter(started),
      stateAfter(started, deleted(0, 'anna')),
      stateAfter(started, hidden(0, 'anna'), restored(0, 'anna')),
    ])
      expect(requireReachableThread(state)).toBe(state);
    for (const state of [
      null,
      stateAfter(started, hidden(0, 'anna')),
      stateAfter(started, hidden(0, 'anna'), deleted(0, 'anna')),
    ])
      expect(() => requireReachableThread(state)).toThrow(expect.objectContaining({ code: 'THREAD_NOT_FOUND' }));
  });
});
