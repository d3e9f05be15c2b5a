import { describe, expect, test } from 'vitest';
import { MAX_HELPFUL_MARKS } from '../../src/constants.ts';
import { markHelpful, unmarkHelpful, type MarkPost } from '../../src/helpful/decide.ts';
import type { HelpfulEvent } from '../../src/helpful/events.ts';
import { helpful, type HelpfulState } from '../../src/helpful/state.ts';
import { given as givenOf } from '../given.ts';

const given = givenOf(helpful);
const ids = (number: number) => ({ accountId: 'anna', threadId: 't1', number });
const marked = (number: number): HelpfulEvent => ({ type: 'PostMarkedHelpful', data: ids(number) });
const unmarked = (number: number): HelpfulEvent => ({ type: 'PostUnmarkedHelpful', data: ids(number) });
const marking =
  (number: number, changes: Partial<MarkPost> = {}) =>
  (state: HelpfulState) =>
    markHelpful({ ...ids(number), emailVerified: true, authorId: 'ben', ...changes }, state);
const full = Array.from({ length: MAX_HELPFUL_MARKS }, (_, number) => marked(number));

describe('marking a post as helpful', () => {
  test('marks it, once', () => {
    given().when(marking(1)).then(marked(1));
    given(marked(1)).when(marking(1)).then();
  });
  test('is possible for posts of one number in two threads', () => {
    given(marked(1))
      .when(marking(1, { threadId: 't2' }))
      .then({ type: 'PostMarkedHelpful', data: { accountId: 'anna', threadId: 't2', number: 1 } });
  });
  test('is possible again once it was taken back', () => {
    given(marked(1), unmarked(1)).when(marking(1)).then(marked(1));
  });
  test('needs a verified e-mail, and another’s post', () => {
    given()
      .when(marking(1, { emailVerified: false }))
      .thenRefused('VERIFICATION_REQUIRED');
    given()
      .when(marking(1, { authorId: 'anna' }))
      .thenRefused('OWN_POST', { message: 'You cannot mark your own post as helpful' });
  });
  test(`is refused beyond ${MAX_HELPFUL_MARKS}; what is marked already is fine`, () => {
    const { state } = given(...full);
    given()
      .when(() => marking(MAX_HELPFUL_MARKS)(state))
      .thenRefused('TOO_MANY_MARKS', { message: `You can mark at most ${MAX_HELPFUL_MARKS} posts as helpful` });
    given()
      .when(() => marking(0)(state))
      .then();
  });
});

test('a mark is taken back, once', () => {
  given(marked(1))
    .when((state) => unmarkHelpful(ids(1), state))
    .then(unmarked(1));
  given(marked(1), unmarked(1))
    .when((state) => unmarkHelpful(ids(1), state))
    .then();
  given(marked(1))
    .when((state) => unmarkHelpful(ids(2), state))
    .then();
});

test('marks are counted, in one thread and in many, and a mark among thousands shares all parts but its own', () => {
  const inMany: readonly HelpfulEvent[] = Array.from({ length: 300 }, (_, index) => ({
    type: 'PostMarkedHelpful',
    data: { ...ids(0), threadId: `u${index.toString(16)}` },
  }));
  const { state } = given(...full.slice(0, 500), ...inMany, ...inMany, unmarked(3), unmarked(3));
  expect(state.count).toBe(799);
  const next = helpful.evolve(state, marked(3), '2026-01-01T00:00:00.000Z');
  expect(next.count).toBe(800);
  expect(Object.keys(next.parts).filter((part) => next.parts[part] !== state.parts[part])).toHaveLength(1);
});
