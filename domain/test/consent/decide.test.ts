import { expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { MAX_CONSENTS } from '../../src/constants.ts';
import { recordConsent } from '../../src/consent/decide.ts';
import type { ConsentEvent } from '../../src/consent/events.ts';
import { newConsentFields } from '../../src/consent/fields.ts';
import { consent } from '../../src/consent/state.ts';
import { givenAggregate } from '../given.ts';

const given = givenAggregate(consent);
const recorded = (choice: ConsentEvent['data']['choice'], textVersion = 1): ConsentEvent => ({
  type: 'ConsentRecorded',
  data: { subjectId: 'anna', kind: 'cookies', textVersion, choice },
});
const record =
  (choice: ConsentEvent['data']['choice'], textVersion = 1) =>
  (state: typeof consent.initial, context: DecisionContext) =>
    recordConsent({ subjectId: 'anna', kind: 'cookies', textVersion, choice }, state, context);

test('a choice about a text is recorded', () => given().when(record('all')).then(recorded('all')));
test('the same choice again records nothing', () => given(recorded('all')).when(record('all')).then());
test('another choice, and the same choice about a new version, are recorded', () => {
  given(recorded('all')).when(record('essential')).then(recorded('essential'));
  given(recorded('all')).when(record('all', 2)).then(recorded('all', 2));
});
test('choices beyond the maximum are ignored', () => {
  const often = Array.from({ length: MAX_CONSENTS }, (_, index) => recorded(index % 2 === 0 ? 'all' : 'essential'));
  given(...often)
    .when(record('all', 3))
    .then();
});
test.each([
  ['age_gate', 'all'],
  ['guidelines', 'essential'],
  ['cookies', 'accepted'],
])('%s does not accept the choice %s', (kind, choice) =>
  expect(newConsentFields.safeParse({ kind, choice, textVersion: 1 }).success).toBe(false),
);
