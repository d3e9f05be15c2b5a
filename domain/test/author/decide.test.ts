import { describe, expect, test } from 'vitest';
import {
  DUPLICATE_WINDOW_ms,
  NEW_ACCOUNT_PERIOD_ms,
  NEW_ACCOUNT_WAIT_ms,
  POSTS_PER_HOUR,
} from '../../src/constants.ts';
import { admitPost, findEarlierAdmission } from '../../src/author/decide.ts';
import type { AuthorEvent } from '../../src/author/events.ts';
import { author, type AuthorState } from '../../src/author/state.ts';
import { AT, givenAggregate } from '../given.ts';

const given = givenAggregate(author);
const HOUR_ms = 60 * 60_000;
const at = (offset_ms: number) => new Date(Date.parse(AT) + offset_ms).toISOString();
const member = { accountId: 'anna', emailVerified: true, isModerator: false, registeredAt: at(-365 * 24 * HOUR_ms) };
const newcomer = { ...member, registeredAt: at(-HOUR_ms) };
const admin = { ...newcomer, registeredAt: AT, isModerator: true };

const admitted = (fingerprint: string, { threadId = 't1', admissionId = 'new' } = {}): AuthorEvent => ({
  type: 'PostAdmitted',
  data: { accountId: 'anna', admissionId, threadId, fingerprint },
});
const admitting =
  (fingerprint: string, { by = member, threadId = 't1', links = 0, now = AT } = {}) =>
  (state: AuthorState) =>
    admitPost({ member: by, threadId, content: { body: 'Words', fingerprint, links } }, state, {
      now,
      newId: () => 'new',
    });
/** Returns the events of `count` posts, written at intervals of one minute. The time of the last post is `AT`. */
const posts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    at: at((index + 1 - count) * 60_000),
    event: admitted(`#${index}`, { admissionId: `a${index}` }),
  }));

test('a member is allowed to post', () => {
  given().when(admitting('#')).then(admitted('#'));
});

describe('an account that has just signed up', () => {
  test('is rejected without a verified e-mail address, even as an admin', () => {
    given()
      .when(admitting('#', { by: { ...member, emailVerified: false } }))
      .thenThrows('VERIFICATION_REQUIRED');
    given()
      .when(admitting('#', { by: { ...admin, emailVerified: false } }))
      .thenThrows('VERIFICATION_REQUIRED');
  });
  test('waits 10 minutes, to the millisecond', () => {
    const by = { ...member, registeredAt: AT };
    given()
      .when(admitting('#', { by, now: at(NEW_ACCOUNT_WAIT_ms) }))
      .then(admitted('#'));
    given()
      .when(admitting('#', { by, now: at(NEW_ACCOUNT_WAIT_ms - 1) }))
      .thenThrows('ACCOUNT_TOO_NEW', {
        retryAfter_s: 1,
        message: 'New accounts can post after 10 minutes. Please try again in 1 min.',
      });
    given().when(admitting('#', { by })).thenThrows('ACCOUNT_TOO_NEW', {
      retryAfter_s: 600,
      message: 'New accounts can post after 10 minutes. Please try again in 10 min.',
    });
  });
  test('does not wait as an admin', () => {
    given()
      .when(admitting('#', { by: admin }))
      .then(admitted('#'));
  });
});

describe('links', () => {
  test.each([
    ['a new account', newcomer, 1],
    ['an account of a week', { ...member, registeredAt: at(-NEW_ACCOUNT_PERIOD_ms) }, 10],
    ['an account of not quite a week', { ...member, registeredAt: at(1 - NEW_ACCOUNT_PERIOD_ms) }, 1],
  ])('of %s are limited', (_what, by, max) => {
    given()
      .when(admitting('#', { by, links: max }))
      .then(admitted('#'));
    given()
      .when(admitting('#', { by, links: max + 1 }))
      .thenThrows('TOO_MANY_LINKS', { message: `Too many links. The maximum is ${max}.` });
  });
  test('of a moderator are not limited', () => {
    given()
      .when(admitting('#', { by: admin, links: 50 }))
      .then(admitted('#'));
  });
});

describe('posts per hour', () => {
  test.each([
    ['a new account', newcomer, POSTS_PER_HOUR.newAccount],
    ['others', member, POSTS_PER_HOUR.account],
  ])('of %s are limited', (_what, by, max) => {
    given(...posts(max - 1))
      .when(admitting('#', { by }))
      .then(admitted('#'));
    given(...posts(max))
      .when(admitting('#', { by }))
      .thenThrows('TOO_MANY_POSTS', {
        parameters: { max, minutes: 60 - (max - 1) },
        retryAfter_s: (60 - (max - 1)) * 60,
      });
  });
  test('are possible again an hour after the first of them, to the millisecond', () => {
    const first = at(-(POSTS_PER_HOUR.account - 1) * 60_000);
    const hourAfter = Date.parse(first) + HOUR_ms;
    given(...posts(POSTS_PER_HOUR.account))
      .when(admitting('#', { now: new Date(hourAfter).toISOString() }))
      .then(admitted('#'));
    given(...posts(POSTS_PER_HOUR.account))
      .when(admitting('#', { now: new Date(hourAfter - 1).toISOString() }))
      .thenThrows('TOO_MANY_POSTS', { retryAfter_s: 1 });
  });
  test('beyond the limit, e.g. of a former moderator, are rejected with the waiting time', () => {
    given(...posts(POSTS_PER_HOUR.account + 3))
      .when(admitting('#'))
      .thenThrows('TOO_MANY_POSTS', { retryAfter_s: 60 });
  });
  test('of a moderator are not limited', () => {
    given(...posts(POSTS_PER_HOUR.account))
      .when(admitting('#', { by: admin }))
      .then(admitted('#'));
  });
});

describe('the same text', () => {
  const earlier = admitted('#same', { admissionId: 'a1' });
  test('is rejected in another thread, even for a moderator', () => {
    given(earlier)
      .when(admitting('#same', { threadId: 't2' }))
      .thenThrows('DUPLICATE_TEXT');
    given(earlier)
      .when(admitting('#same', { threadId: 't2', by: admin }))
      .thenThrows('DUPLICATE_TEXT');
  });
  test('has the same admission in the same thread, so that an interrupted post can be retried', () => {
    given(earlier).when(admitting('#same')).then();
    given(earlier, ...posts(POSTS_PER_HOUR.account))
      .when(admitting('#same'))
      .then();
    expect(findEarlierAdmission('#same', given(earlier).state, AT)).toEqual({
      admissionId: 'a1',
      threadId: 't1',
      fingerprint: '#same',
      at: AT,
    });
  });
  test('is allowed again after a day, to the millisecond', () => {
    given(earlier)
      .when(admitting('#same', { threadId: 't2', now: at(DUPLICATE_WINDOW_ms - 1) }))
      .thenThrows('DUPLICATE_TEXT');
    given(earlier)
      .when(admitting('#same', { threadId: 't2', now: at(DUPLICATE_WINDOW_ms) }))
      .then(admitted('#same', { threadId: 't2' }));
    expect(findEarlierAdmission('#same', given(earlier).state, at(DUPLICATE_WINDOW_ms))).toBeNull();
  });
  test('counts from the last of two admissions', () => {
    const again = { at: at(DUPLICATE_WINDOW_ms), event: admitted('#same', { threadId: 't2', admissionId: 'a2' }) };
    given(earlier, again)
      .when(admitting('#same', { now: at(DUPLICATE_WINDOW_ms + 1) }))
      .thenThrows('DUPLICATE_TEXT');
    given(earlier, again)
      .when(admitting('#same', { threadId: 't2', now: at(DUPLICATE_WINDOW_ms + 1) }))
      .then();
  });
});

test('the state of an author has a limited size, which covers an hour', () => {
  const { state } = given(...posts(5_000));
  expect(state.recentAdmissions.length).toBeLessThan(500);
  expect(state.recentAdmissions.length).toBeGreaterThanOrEqual(POSTS_PER_HOUR.account);
  expect(state.recentAdmissions.at(-1)?.fingerprint).toBe('#4999');
});
