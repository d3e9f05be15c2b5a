import { describe, expect, test } from 'vitest';
import type { RequestRemoval } from '../../src/removal/commands.ts';
import {
  addRemovalNote,
  appealRemoval,
  completeRemoval,
  recordIdentityCopies,
  decideRemoval,
  decideRemovalAppeal,
  recordRemovalErasure,
  requestRemoval,
  warnAboutRemoval,
  withdrawRemoval,
} from '../../src/removal/decide.ts';
import type { RemovalEvent } from '../../src/removal/events.ts';
import { newRemovalFields, NOTHING_NAMED, REMOVAL_NOTES_MAX, STATEMENT_MISSING } from '../../src/removal/fields.ts';
import { deadlineOf, removal, removalReference, type RemovalState } from '../../src/removal/state.ts';
import { AT, CONTEXT, givenAggregate } from '../given.ts';

const given = givenAggregate(removal);
const HOUR_ms = 60 * 60_000;
const after_h = (hours: number) => ({ ...CONTEXT, now: new Date(Date.parse(AT) + hours * HOUR_ms).toISOString() });
const requestId = '0193a1b2-0000-7000-8000-0000000000bb';
const subject = { kind: 'ad', id: 'a1' } as const;

const command: RequestRemoval = {
  requestId,
  subjects: [subject],
  hidesAtOnce: true,
  name: 'Anna',
  email: 'anna@example.com',
  relation: 'self',
  links: ['/ad/a1'],
  hashes: [],
  signature: 'Anna',
};
const requested: RemovalEvent = {
  type: 'RemovalRequested',
  data: { ...command, subjects: [subject], links: ['/ad/a1'], hashes: [], requestedAt: AT, isRecovered: false },
};
const decided = (outcome: 'valid' | 'rejected'): RemovalEvent => ({
  type: 'RemovalDecided',
  data: { requestId, requestedAt: AT, moderatorId: 'mona', outcome, facts: 'Because.' },
});
const appealed: RemovalEvent = { type: 'RemovalAppealed', data: { requestId, text: 'No.' } };
const appealDecided = (outcome: 'upheld' | 'overturned'): RemovalEvent => ({
  type: 'RemovalAppealDecided',
  data: { requestId, appealedAt: AT, moderatorId: 'max', outcome, facts: 'Still.' },
});
const withdrawn: RemovalEvent = { type: 'RemovalWithdrawn', data: { requestId } };
const decision = { moderatorId: 'mona', outcome: 'valid', facts: 'Because.', ownerIds: ['olga'] } as const;
const appealDecision = { ...decision, moderatorId: 'max', outcome: 'overturned', facts: 'Still.' } as const;

describe('a request', () => {
  test('is recorded once, with the time of the decision context', () => {
    given().decide(requestRemoval, command).then(requested);
    given(requested).decide(requestRemoval, command).then();
  });
  test('that is recovered has the time of the request, so its deadline does not move', () => {
    const recoveredFrom = '2025-12-31T12:00:00.000Z';
    const [event] = requestRemoval({ ...command, recoveredFrom }, null, CONTEXT);
    expect(event?.data).toMatchObject({ requestedAt: recoveredFrom, isRecovered: true });
    const { state } = given(event as RemovalEvent);
    expect(state && deadlineOf(state)).toBe('2026-01-02T12:00:00.000Z');
  });
  test('has a reference that people can read out', () => {
    expect(removalReference(requestId)).toMatch(/^T-[0-9A-Z]{15}$/u);
  });
});

test('an unknown request is neither withdrawn nor completed, and causes no warning', () => {
  given().decide(withdrawRemoval, {}).thenThrows('REMOVAL_NOT_FOUND');
  given().decide(warnAboutRemoval, {}).then();
  given()
    .decide(recordIdentityCopies, { copies: [{ accountId: 'anna', checkId: 'c1' }] })
    .then();
  given().decide(completeRemoval, { removed: [], copies: 0 }).then();
  given().decide(recordRemovalErasure, {}).then();
});

describe('the person who has asked', () => {
  const add = (state: RemovalState) => addRemovalNote({ text: 'More.' }, state, CONTEXT);
  const note: RemovalEvent = { type: 'RemovalNoteAdded', data: { requestId, text: 'More.' } };
  test('adds texts while the request waits, up to a limit', () => {
    given(requested).when(add).then(note);
    given(requested, ...Array.from({ length: REMOVAL_NOTES_MAX }, () => note))
      .when(add)
      .thenThrows('TOO_MANY_NOTES');
    given(requested, decided('valid')).when(add).thenThrows('REMOVAL_CLOSED');
    given().when(add).thenThrows('REMOVAL_NOT_FOUND');
  });
  test('withdraws the request, once, and not after a decision', () => {
    const withdraw = (state: RemovalState) => withdrawRemoval({}, state, CONTEXT);
    given(requested).when(withdraw).then(withdrawn);
    given(requested, withdrawn).when(withdraw).then();
    given(requested, decided('rejected')).when(withdraw).thenThrows('REMOVAL_CLOSED');
  });
  test('appeals once against a rejection, within 30 days', () => {
    const appeal = (state: RemovalState) => appealRemoval({ text: 'No.' }, state, CONTEXT);
    given(requested, decided('rejected')).when(appeal).then(appealed);
    given(requested, decided('rejected'), appealed).when(appeal).thenThrows('ALREADY_APPEALED');
    given(requested, decided('valid')).when(appeal).thenThrows('NOT_APPEALABLE');
    given(requested, decided('rejected'))
      .decide(appealRemoval, { text: 'No.' }, after_h(31 * 24))
      .thenThrows('APPEAL_OVER');
  });
});

describe('a decision', () => {
  const decide = (state: RemovalState) => decideRemoval(decision, state, CONTEXT);
  test('is made once, and not after the request was withdrawn', () => {
    given(requested).when(decide).then(decided('valid'));
    given(requested, decided('rejected')).when(decide).thenThrows('NOTHING_TO_DECIDE');
    given(requested, withdrawn).when(decide).thenThrows('NOTHING_TO_DECIDE');
    given().when(decide).thenThrows('REMOVAL_NOT_FOUND');
  });
  test('of the owner of the content can only remove it', () => {
    given(requested)
      .decide(decideRemoval, { ...decision, outcome: 'rejected', ownerIds: ['mona'] })
      .thenThrows('OWN_CONTENT');
    given(requested)
      .decide(decideRemoval, { ...decision, ownerIds: ['mona'] })
      .then(decided('valid'));
  });
  test('about an appeal is made by another moderator', () => {
    const rejected = [requested, decided('rejected'), appealed];
    given(...rejected)
      .decide(decideRemovalAppeal, appealDecision)
      .then(appealDecided('overturned'));
    given(...rejected)
      .decide(decideRemovalAppeal, { ...appealDecision, moderatorId: 'mona' })
      .thenThrows('ANOTHER_MODERATOR');
    given(...rejected)
      .decide(decideRemovalAppeal, { ...appealDecision, outcome: 'upheld', ownerIds: ['max'] })
      .thenThrows('OWN_CONTENT');
    for (const [outcome, ownerIds] of [
      ['upheld', ['olga']],
      ['overturned', ['max']],
    ] as const)
      given(...rejected)
        .decide(decideRemovalAppeal, { ...appealDecision, outcome, ownerIds })
        .then(appealDecided(outcome));
    given(...rejected, appealDecided('upheld'))
      .decide(decideRemovalAppeal, appealDecision)
      .thenThrows('NO_APPEAL');
  });
  test('is completed once everything is removed, also after an appeal', () => {
    const complete = (state: RemovalState) => completeRemoval({ removed: [subject], copies: 0 }, state, CONTEXT);
    const completed: RemovalEvent = {
      type: 'RemovalCompleted',
      data: { requestId, requestedAt: AT, removed: [subject], copies: 0 },
    };
    given(requested, decided('valid')).when(complete).then(completed);
    given(requested, decided('rejected'), appealed, appealDecided('overturned')).when(complete).then(completed);
    given(requested, decided('valid'), completed).when(complete).then();
    given(requested).when(complete).then();
  });
  test('records each identity check with a copy once, before it is completed', () => {
    const [one, other] = ['c1', 'c2'].map((checkId) => ({ accountId: 'anna', checkId }));
    const copies = [one, other].flatMap((copy) => copy ?? []);
    const found = (identityCopies: typeof copies): RemovalEvent => ({
      type: 'RemovalIdentityCopiesFound',
      data: { requestId, identityCopies },
    });
    const record = (wanted: typeof copies) => (state: RemovalState) =>
      recordIdentityCopies({ copies: wanted }, state, CONTEXT);
    given(requested, decided('valid')).when(record(copies)).then(found(copies));
    given(requested, decided('valid'), found(copies.slice(0, 1)))
      .when(record(copies))
      .then(found(copies.slice(1)));
    given(requested, decided('valid'), found(copies)).when(record(copies)).then();
    given(requested, decided('valid')).when(record([])).then();
    given(requested).when(record(copies)).then();
    given(requested, decided('valid'), found(copies))
      .decide(completeRemoval, { removed: [subject], copies: 2, identityChecks: 2 })
      .then({
        type: 'RemovalCompleted',
        data: { requestId, requestedAt: AT, removed: [subject], copies: 2, identityChecks: 2 },
      });
  });
});

describe('warnings', () => {
  const warning = (hours: number): RemovalEvent => ({
    type: 'RemovalWarned',
    data: { requestId, after_h: hours, deadline: '2026-01-03T12:00:00.000Z' },
  });
  test.each([
    [23, 0],
    [24, 24],
    [39, 24],
    [40, 40],
    [44, 44],
    [60, 44],
  ])('after %d hours, the newest one is %d', (hours, newest) => {
    given(requested)
      .decide(warnAboutRemoval, {}, after_h(hours))
      .then(...(newest === 0 ? [] : [warning(newest)]));
  });
  test('are not repeated, and end with a rejection or when everything is removed', () => {
    given(requested, warning(24)).decide(warnAboutRemoval, {}, after_h(30)).then();
    given(requested, decided('valid')).decide(warnAboutRemoval, {}, after_h(45)).then(warning(44));
    const completed: RemovalEvent = {
      type: 'RemovalCompleted',
      data: { requestId, requestedAt: AT, removed: [subject], copies: 0 },
    };
    for (const events of [[decided('rejected')], [decided('valid'), completed]])
      given(requested, ...events)
        .decide(warnAboutRemoval, {}, after_h(45))
        .then();
  });
  test('about an appeal count from the appeal', () => {
    given(requested, warning(44), decided('rejected'), appealed)
      .decide(warnAboutRemoval, {}, after_h(25))
      .then(warning(24));
  });
});

test('personal data is erased only after the request is closed', () => {
  const erase = (state: RemovalState) => recordRemovalErasure({}, state, CONTEXT);
  given(requested).when(erase).then();
  given(requested, decided('valid')).when(erase).then();
  given(requested, withdrawn).when(erase).then({ type: 'RemovalDataErased', data: { requestId } });
});

describe('the fields of a request', () => {
  const input = {
    name: 'Anna',
    email: 'Anna@Example.com ',
    relation: 'self',
    links: [' /ad/a1 '],
    statement: true,
    signature: 'Anna',
  } as const;
  const errorsOf = (more: Record<string, unknown>) =>
    newRemovalFields
      .safeParse({ ...input, ...more })
      .error?.issues.map(({ path, message }) => [path.join('.'), message]);
  test('are trimmed, and hashes are optional', () => {
    expect(newRemovalFields.parse(input)).toMatchObject({ email: 'anna@example.com', links: ['/ad/a1'], hashes: [] });
    const hash = '8F373714ACFCF4D0'.repeat(4);
    expect(newRemovalFields.parse({ ...input, links: [], hashes: [hash] })).toMatchObject({
      hashes: [hash.toLowerCase()],
    });
  });
  test.each([
    [{ links: [] }, [['links', NOTHING_NAMED]]],
    [{ links: Array.from({ length: 51 }, () => '/ad/a1') }, [['links', 'Please enter at most 50 links']]],
    [{ hashes: Array.from({ length: 51 }, () => '0'.repeat(16)) }, [['hashes', 'Please choose at most 50 pictures']]],
    [{ hashes: ['not a hash'] }, [['hashes.0', 'This picture could not be read']]],
    [{ statement: false }, [['statement', STATEMENT_MISSING]]],
    [{ statement: undefined }, [['statement', STATEMENT_MISSING]]],
    [{ relation: 'friend' }, [['relation', 'Please choose for whom you ask']]],
  ])('reject %j', (more, expected) => {
    expect(errorsOf(more)).toEqual(expected);
  });
});
