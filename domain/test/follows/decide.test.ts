import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { MAX_FOLLOWS } from '../../src/constants.ts';
import { followThread, stopFollowMails, unfollowAllThreads, unfollowThread } from '../../src/follows/decide.ts';
import type { FollowsEvent } from '../../src/follows/events.ts';
import { followFields, type FollowMailMode } from '../../src/follows/fields.ts';
import { follows, type FollowsState } from '../../src/follows/state.ts';
import { givenAggregate } from '../given.ts';

const given = givenAggregate(follows);
const accountId = 'anna';
const followed = (threadId: string, mail: FollowMailMode = 'instant'): FollowsEvent => ({
  type: 'ThreadFollowed',
  data: { accountId, threadId, mail },
});
const unfollowed = (threadId: string): FollowsEvent => ({ type: 'ThreadUnfollowed', data: { accountId, threadId } });
const following =
  (threadId: string, mail: FollowMailMode = 'instant') =>
  (state: FollowsState, context: DecisionContext) =>
    followThread({ accountId, threadId, mail }, state, context);
const full = Array.from({ length: MAX_FOLLOWS }, (_, index) => followed(`t${index}`));

describe('following a thread', () => {
  test('follows the thread with the requested mails', () => {
    given().when(following('t1', 'daily')).then(followed('t1', 'daily'));
  });
  test('changes the mail setting when it is repeated, or nothing', () => {
    given(followed('t1')).when(following('t1', 'off')).then(followed('t1', 'off'));
    given(followed('t1', 'off')).when(following('t1', 'off')).then();
  });
  test(`is rejected beyond ${MAX_FOLLOWS}, but existing mail settings can be changed`, () => {
    given(...full)
      .when(following('one more'))
      .thenThrows('TOO_MANY_FOLLOWS', { message: `You can follow at most ${MAX_FOLLOWS} threads` });
    given(...full)
      .when(following('t0', 'daily'))
      .then(followed('t0', 'daily'));
    given(...full, unfollowed('t0'))
      .when(following('one more'))
      .then(followed('one more'));
  });
  test('sends instant mails by default', () => {
    expect(followFields.parse({})).toEqual({ mail: 'instant' });
    expect(followFields.safeParse({ mail: 'weekly' }).error?.issues[0]?.message).toBe(
      'Please choose instant, daily or off',
    );
  });
});

describe('unfollowing a thread', () => {
  test('stops following the thread', () => {
    given(followed('t1'), followed('t2')).decide(unfollowThread, { threadId: 't1', accountId }).then(unfollowed('t1'));
    expect(given(followed('t1'), followed('t2'), unfollowed('t1')).state).toEqual({ threads: { t2: 'instant' } });
  });
  test('does nothing for a thread that is not followed', () => {
    given(followed('t1'), unfollowed('t1')).decide(unfollowThread, { threadId: 't1', accountId }).then();
  });
  test('stops following every thread when the account is closed', () => {
    given(followed('t1'), followed('t2', 'off'))
      .decide(unfollowAllThreads, { accountId })
      .then(unfollowed('t1'), unfollowed('t2'));
    given().decide(unfollowAllThreads, { accountId }).then();
  });
});

describe('stopping mails', () => {
  test('keeps the mails about other threads', () => {
    given(followed('t1'), followed('t2', 'daily'))
      .decide(stopFollowMails, { threadId: 't1', accountId })
      .then(followed('t1', 'off'));
  });
  test('stops the mails about all threads', () => {
    given(followed('t1'), followed('t2', 'daily'), followed('t3', 'off'))
      .decide(stopFollowMails, { threadId: null, accountId })
      .then(followed('t1', 'off'), followed('t2', 'off'));
  });
  test('does nothing without mails or without a follow, so that a second click follows nothing', () => {
    given(followed('t1', 'off')).decide(stopFollowMails, { threadId: 't1', accountId }).then();
    given(followed('t1'), unfollowed('t1')).decide(stopFollowMails, { threadId: 't1', accountId }).then();
  });
});
