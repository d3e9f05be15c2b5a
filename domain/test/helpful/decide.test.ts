import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { MAX_HELPFUL_MARKS } from '../../src/constants.ts';
import type { MarkHelpful } from '../../src/helpful/commands.ts';
import { markHelpful, unmarkHelpful } from '../../src/helpful/decide.ts';
import type { HelpfulEvent } from '../../src/helpful/events.ts';
import { countMarks, helpful, type HelpfulState } from '../../src/helpful/state.ts';
import { givenAggregate } from '../given.ts';

const given = givenAggregate(helpful);
const EARLY = '2000-01-01T00:00:00.000Z';
const ids = (number: number) => ({ accountId: 'anna', threadId: 't1', number });
const marked = (number: number): HelpfulEvent => ({ type: 'PostMarkedHelpful', data: ids(number) });
const unmarked = (number: number): HelpfulEvent => ({ type: 'PostUnmarkedHelpful', data: ids(number) });
const marking =
  (number: number, changes: Partial<MarkHelpful> = {}) =>
  (state: HelpfulState, context: DecisionContext) =>
    markHelpful(
      { ...ids(number), registeredAt: EARLY, emailVerified: true, authorId: 'ben', ...changes },
      state,
      context,
    );
const full = Array.from({ length: MAX_HELPFUL_MARKS }, (_, number) => marked(number));

describe('marking a post as helpful', () => {
  test('marks the post once', () => {
    given().when(marking(1)).then(marked(1));
    given(marked(1)).when(marking(1)).then();
  });
  test('is possible for posts with the same number in two threads', () => {
    given(marked(1))
      .when(marking(1, { threadId: 't2' }))
      .then({ type: 'PostMarkedHelpful', data: { accountId: 'anna', threadId: 't2', number: 1 } });
  });
  test('is possible again after the mark is removed', () => {
    given(marked(1), unmarked(1)).when(marking(1)).then(marked(1));
  });
  test('requires a verified e-mail address and a post of another author', () => {
    given()
      .when(marking(1, { emailVerified: false }))
      .thenThrows('VERIFICATION_REQUIRED');
    given()
      .when(marking(1, { authorId: 'anna' }))
      .thenThrows('OWN_POST', { message: 'You cannot mark your own post as helpful' });
  });
  test(`is rejected beyond ${MAX_HELPFUL_MARKS}, but accepts an existing mark`, () => {
    const { state } = given(...full);
    given()
      .when((_state, context) => marking(MAX_HELPFUL_MARKS)(state, context))
      .thenThrows('TOO_MANY_MARKS', { message: `You can mark at most ${MAX_HELPFUL_MARKS} posts as helpful` });
    given()
      .when((_state, context) => marking(0)(state, context))
      .then();
  });
});

describe('the marks of a closed account with the same id (R-14.14)', () => {
  const LATER = '2100-01-01T00:00:00.000Z';
  test('do not prevent a new mark', () => {
    given(marked(1))
      .when(marking(1, { registeredAt: LATER }))
      .then(marked(1));
  });
  test('cannot be removed', () => {
    given(marked(1))
      .decide(unmarkHelpful, { ...ids(1), registeredAt: LATER })
      .then();
  });
  test('do not count towards the limit', () => {
    const { state } = given(...full);
    given()
      .when((_state, context) => marking(MAX_HELPFUL_MARKS, { registeredAt: LATER })(state, context))
      .then(marked(MAX_HELPFUL_MARKS));
  });
});

test('a mark can be removed once', () => {
  given(marked(1))
    .decide(unmarkHelpful, { ...ids(1), registeredAt: EARLY })
    .then(unmarked(1));
  given(marked(1), unmarked(1))
    .decide(unmarkHelpful, { ...ids(1), registeredAt: EARLY })
    .then();
  given(marked(1))
    .decide(unmarkHelpful, { ...ids(2), registeredAt: EARLY })
    .then();
});

test('marks are counted across threads, and a new mark copies one partition only', () => {
  const inMany: readonly HelpfulEvent[] = Array.from({ length: 300 }, (_, index) => ({
    type: 'PostMarkedHelpful',
    data: { ...ids(0), threadId: `u${index.toString(16)}` },
  }));
  const { state } = given(...full.slice(0, 500), ...inMany, ...inMany, unmarked(3), unmarked(3));
  expect(countMarks(state, EARLY)).toBe(799);
  const next = helpful.evolve(state, marked(3), '2026-01-01T00:00:00.000Z');
  expect(countMarks(next, EARLY)).toBe(800);
  expect(Object.keys(next.partitions).filter((part) => next.partitions[part] !== state.partitions[part])).toHaveLength(
    1,
  );
});
