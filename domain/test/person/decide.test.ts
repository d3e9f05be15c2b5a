import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import {
  finishErasureStep,
  liftLegalHold,
  findNextErasureStep,
  requestErasure,
  setLegalHold,
} from '../../src/person/decide.ts';
import type { PersonEvent } from '../../src/person/events.ts';
import { person, type PersonState } from '../../src/person/state.ts';
import { ERASURE_STEPS, type ErasureStep } from '../../src/person/steps.ts';
import { givenAggregate } from '../given.ts';

const given = givenAggregate(person);
const accountId = 'anna';
const ids = { accountId, receiptId: 'r1' };
const requested: PersonEvent = { type: 'ErasureRequested', data: { ...ids, by: 'self', reason: null } };
const done = (step: ErasureStep): PersonEvent => ({ type: 'ErasureStepDone', data: { ...ids, step } });
const completed: PersonEvent = { type: 'ErasureCompleted', data: ids };
const held: PersonEvent = { type: 'LegalHoldSet', data: { accountId, reason: 'A court asks.' } };
const lifted: PersonEvent = { type: 'LegalHoldLifted', data: { accountId, reason: 'It has decided.' } };
const requesting =
  (receiptId = 'r1') =>
  (state: PersonState, context: DecisionContext) =>
    requestErasure({ accountId, receiptId, by: 'self', reason: null }, state, context);
const finishing = (step: ErasureStep) => (state: PersonState, context: DecisionContext) =>
  finishErasureStep({ step, accountId }, state, context);

describe('an erasure', () => {
  test('begins with a request', () => {
    given().when(requesting()).then(requested);
  });
  test('continues when it is requested again', () => {
    given(requested).when(requesting('r2')).then();
  });
  test('can be requested again after it is complete, because the address may have a new account', () => {
    given(requested, ...ERASURE_STEPS.map(done), completed)
      .when(requesting('r1'))
      .then(requested);
  });
  test('is rejected during a legal hold only', () => {
    given(held).when(requesting()).thenThrows('LEGAL_HOLD');
    given(held, lifted).when(requesting()).then(requested);
  });
  test('records its steps in order, each once', () => {
    const [first, second] = ERASURE_STEPS;
    given(requested).when(finishing(first)).then(done(first));
    given(requested).when(finishing(second)).then();
    given(requested, done(first)).when(finishing(first)).then();
    given(requested, done(first)).when(finishing(second)).then(done(second));
  });
  test('is complete with the last step', () => {
    const last = ERASURE_STEPS.at(-1) as ErasureStep;
    given(requested, ...ERASURE_STEPS.slice(0, -1).map(done))
      .when(finishing(last))
      .then(done(last), completed);
    expect(given(requested, ...ERASURE_STEPS.map(done), completed).state.erasure).toBeNull();
  });
  test('does nothing without a request', () => {
    given().when(finishing('keys_retired')).then();
    expect(findNextErasureStep({ completedSteps: [] })).toBe('keys_retired');
    expect(findNextErasureStep({ completedSteps: ERASURE_STEPS })).toBeNull();
  });
});

describe('a legal hold', () => {
  test('is set once, and lifted once', () => {
    given().decide(setLegalHold, { reason: 'A court asks.', accountId }).then(held);
    given(held).decide(setLegalHold, { reason: 'Again.', accountId }).then();
    given(held).decide(liftLegalHold, { reason: 'It has decided.', accountId }).then(lifted);
    given().decide(liftLegalHold, { reason: 'It has decided.', accountId }).then();
  });
  test('is rejected during an erasure', () => {
    given(requested).decide(setLegalHold, { reason: 'A court asks.', accountId }).thenThrows('ERASURE_UNDER_WAY');
  });
});
