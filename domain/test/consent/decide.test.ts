import { expect, test } from 'vitest';
import { MAX_CONSENTS } from '../../src/constants.ts';
import { recordConsent } from '../../src/consent/decide.ts';
import type { ConsentEvent } from '../../src/consent/events.ts';
import { newConsent } from '../../src/consent/fields.ts';
import { consent } from '../../src/consent/state.ts';
import { given as givenOf } from '../given.ts';

const given = givenOf(consent);
const said = (choice: ConsentEvent['data']['choice'], textVersion = 1): ConsentEvent => ({
  type: 'ConsentRecorded',
  data: { subjectId: 'anna', kind: 'cookies', textVersion, choice },
});
const record =
  (choice: ConsentEvent['data']['choice'], textVersion = 1) =>
  (state: typeof consent.initial) =>
    recordConsent({ subjectId: 'anna', kind: 'cookies', textVersion, choice }, state);

test('what was said to which text is kept', () => given().when(record('all')).then(said('all')));
test('the same again is nothing new', () => given(said('all')).when(record('all')).then());
test('another choice is, and the same to another text', () => {
  given(said('all')).when(record('essential')).then(said('essential'));
  given(said('all')).when(record('all', 2)).then(said('all', 2));
});
test('whoever changes their mind without end is no longer noted', () => {
  const often = Array.from({ length: MAX_CONSENTS }, (_, index) => said(index % 2 === 0 ? 'all' : 'essential'));
  given(...often)
    .when(record('all', 3))
    .then();
});
test.each([
  ['age_gate', 'all'],
  ['guidelines', 'essential'],
  ['cookies', 'accepted'],
])('%s cannot be answered with %s', (kind, choice) =>
  expect(newConsent.safeParse({ kind, choice, textVersion: 1 }).success).toBe(false),
);
