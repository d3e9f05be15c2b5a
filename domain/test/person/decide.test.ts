import { describe, expect, test } from 'vitest';
import {
  finishErasureStep,
  liftLegalHold,
  nextErasureStep,
  requestErasure,
  setLegalHold,
} from '../../src/person/decide.ts';
import type { PersonEvent } from '../../src/person/events.ts';
import { person, type PersonState } from '../../src/person/state.ts';
import { ERASURE_STEPS, type ErasureStep } from '../../src/person/steps.ts';
import { given as givenOf } from '../given.ts';

const given = givenOf(person);
const accountId = 'anna';
const ofErasure = { accountId, receiptId: 'r1' };
const requested: PersonEvent = { type: 'ErasureRequested', data: { ...ofErasure, by: 'self', reason: null } };
const done = (step: ErasureStep): PersonEvent => ({ type: 'ErasureStepDone', data: { ...ofErasure, step } });
const completed: PersonEvent = { type: 'ErasureCompleted', data: ofErasure };
const held: PersonEvent = { type: 'LegalHoldSet', data: { accountId, reason: 'A court asks.' } };
const lifted: PersonEvent = { type: 'LegalHoldLifted', data: { accountId, reason: 'It has decided.' } };
const asking =
  (receiptId = 'r1') =>
  (state: PersonState) =>
    requestErasure({ accountId, receiptId, by: 'self', reason: null }, state);
const finishing = (step: ErasureStep) => (state: PersonState) => finishErasureStep(step, accountId, state);

describe('an erasure', () => {
  test('begins when it is asked for', () => {
    given().when(asking()).then(requested);
  });
  test('that is under way is the one that goes on', () => {
    given(requested).when(asking('r2')).then();
  });
  test('can be asked for again once it is complete: the address may have signed up anew', () => {
    given(requested, ...ERASURE_STEPS.map(done), completed)
      .when(asking('r1'))
      .then(requested);
  });
  test('is refused while what is held has to be kept, and no longer than that', () => {
    given(held).when(asking()).thenRefused('LEGAL_HOLD');
    given(held, lifted).when(asking()).then(requested);
  });
  test('does its steps in their order, each once', () => {
    const [first, second] = ERASURE_STEPS;
    given(requested).when(finishing(first)).then(done(first));
    given(requested).when(finishing(second)).then();
    given(requested, done(first)).when(finishing(first)).then();
    given(requested, done(first)).when(finishing(second)).then(done(second));
  });
  test('is complete with the last of them', () => {
    const last = ERASURE_STEPS.at(-1) as ErasureStep;
    given(requested, ...ERASURE_STEPS.slice(0, -1).map(done))
      .when(finishing(last))
      .then(done(last), completed);
    expect(given(requested, ...ERASURE_STEPS.map(done), completed).state.erasure).toBeNull();
  });
  test('that nobody asked for does nothing', () => {
    given().when(finishing('keys_retired')).then();
    expect(nextErasureStep({ done: [] })).toBe('keys_retired');
    expect(nextErasureStep({ done: ERASURE_STEPS })).toBeNull();
  });
});

describe('a legal hold', () => {
  test('is set once, and lifted once', () => {
    given()
      .when((state) => setLegalHold('A court asks.', accountId, state))
      .then(held);
    given(held)
      .when((state) => setLegalHold('Again.', accountId, state))
      .then();
    given(held)
      .when((state) => liftLegalHold('It has decided.', accountId, state))
      .then(lifted);
    given()
      .when((state) => liftLegalHold('It has decided.', accountId, state))
      .then();
  });
  test('comes too late for what is half gone', () => {
    given(requested)
      .when((state) => setLegalHold('A court asks.', accountId, state))
      .thenRefused('ERASURE_UNDER_WAY');
  });
});
