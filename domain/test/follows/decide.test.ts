import { describe, expect, test } from 'vitest';
import { MAX_FOLLOWS } from '../../src/constants.ts';
import { followThread, stopFollowMails, unfollowAll, unfollowThread } from '../../src/follows/decide.ts';
import type { FollowsEvent } from '../../src/follows/events.ts';
import { followFields, type FollowMail } from '../../src/follows/fields.ts';
import { follows, type FollowsState } from '../../src/follows/state.ts';
import { given as givenOf } from '../given.ts';

const given = givenOf(follows);
const accountId = 'anna';
const followed = (threadId: string, mail: FollowMail = 'instant'): FollowsEvent => ({
  type: 'ThreadFollowed',
  data: { accountId, threadId, mail },
});
const unfollowed = (threadId: string): FollowsEvent => ({ type: 'ThreadUnfollowed', data: { accountId, threadId } });
const following =
  (threadId: string, mail: FollowMail = 'instant') =>
  (state: FollowsState) =>
    followThread({ accountId, threadId, mail }, state);
const full = Array.from({ length: MAX_FOLLOWS }, (_, index) => followed(`t${index}`));

describe('following', () => {
  test('follows a thread, with mails as asked', () => {
    given().when(following('t1', 'daily')).then(followed('t1', 'daily'));
  });
  test('once more changes the mails, or nothing', () => {
    given(followed('t1')).when(following('t1', 'off')).then(followed('t1', 'off'));
    given(followed('t1', 'off')).when(following('t1', 'off')).then();
  });
  test(`is refused beyond ${MAX_FOLLOWS}, but the mails of those there are can be changed`, () => {
    given(...full)
      .when(following('one more'))
      .thenRefused('TOO_MANY_FOLLOWS', { message: `You can follow at most ${MAX_FOLLOWS} threads` });
    given(...full)
      .when(following('t0', 'daily'))
      .then(followed('t0', 'daily'));
    given(...full, unfollowed('t0'))
      .when(following('one more'))
      .then(followed('one more'));
  });
  test('mails at once unless it is said otherwise', () => {
    expect(followFields.parse({})).toEqual({ mail: 'instant' });
    expect(followFields.safeParse({ mail: 'weekly' }).error?.issues[0]?.message).toBe(
      'Please choose instant, daily or off',
    );
  });
});

describe('following no longer', () => {
  test('ends it', () => {
    given(followed('t1'), followed('t2'))
      .when((state) => unfollowThread('t1', accountId, state))
      .then(unfollowed('t1'));
    expect(given(followed('t1'), followed('t2'), unfollowed('t1')).state).toEqual({ threads: { t2: 'instant' } });
  });
  test('of what one does not follow does nothing', () => {
    given(followed('t1'), unfollowed('t1'))
      .when((state) => unfollowThread('t1', accountId, state))
      .then();
  });
  test('of all, as an account ends, ends each', () => {
    given(followed('t1'), followed('t2', 'off'))
      .when((state) => unfollowAll(accountId, state))
      .then(unfollowed('t1'), unfollowed('t2'));
    given()
      .when((state) => unfollowAll(accountId, state))
      .then();
  });
});

describe('ending mails', () => {
  test('of one thread leaves the others', () => {
    given(followed('t1'), followed('t2', 'daily'))
      .when((state) => stopFollowMails('t1', accountId, state))
      .then(followed('t1', 'off'));
  });
  test('of all threads ends each that sends any', () => {
    given(followed('t1'), followed('t2', 'daily'), followed('t3', 'off'))
      .when((state) => stopFollowMails(null, accountId, state))
      .then(followed('t1', 'off'), followed('t2', 'off'));
  });
  test('of what sends none, or is not followed, does nothing: whoever clicks twice is not followed again', () => {
    given(followed('t1', 'off'))
      .when((state) => stopFollowMails('t1', accountId, state))
      .then();
    given(followed('t1'), unfollowed('t1'))
      .when((state) => stopFollowMails('t1', accountId, state))
      .then();
  });
});
