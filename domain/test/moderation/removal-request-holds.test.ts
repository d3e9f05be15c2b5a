import { describe, test } from 'vitest';
import { toStreamId } from '../../src/aggregate.ts';
import { listing } from '../../src/listing/state.ts';
import {
  addReport,
  decideAppeal,
  decideCase,
  decideConsequence,
  decideWithoutReport,
  endChangeRequest,
  restoreReported,
} from '../../src/moderation/decide.ts';
import type { ModerationEvent } from '../../src/moderation/events.ts';
import { endRemovalHold, holdForRemoval, respondToDecision } from '../../src/moderation/removal-request-holds.ts';
import { moderationCase, type CaseState } from '../../src/moderation/state.ts';
import type { CaseId } from '../../src/moderation/subject.ts';
import { AUTOMATED_REMOVAL_FACTS } from '../../src/removal/fields.ts';
import { AT, CONTEXT, givenAggregate } from '../given.ts';

const given = givenAggregate(moderationCase);
const subject = { kind: 'ad', id: 'a1' } as const;
const caseId = 'ad-a1' as CaseId;
const evidence = { stream: toStreamId(listing, 'anna'), revision: 3 };
const judged = { subject, ownerId: 'anna', evidence };

const opened: ModerationEvent = { type: 'CaseOpened', data: { caseId, ...judged, round: 1 } };
const added = (removalId = 'q1'): ModerationEvent => ({
  type: 'CaseReportAdded',
  data: { caseId, reportId: removalId, reason: 'removal_request', priority: 'high', evidence },
});
const decision = (more: Partial<Extract<ModerationEvent, { type: 'CaseDecided' }>['data']>): ModerationEvent => ({
  type: 'CaseDecided',
  data: {
    caseId,
    decisionId: 'new-id',
    round: 1,
    ...judged,
    moderatorId: null,
    outcome: 'hidden',
    rule: 'consent',
    facts: AUTOMATED_REMOVAL_FACTS,
    isAutomated: true,
    hidingRuleId: null,
    wasHidden: false,
    openedAt: AT,
    ...more,
  },
});
const hidden = decision({});
const confirmed = decision({ moderatorId: 'mona', outcome: 'kept', facts: 'Fine.', isAutomated: false });
const restored = (moderatorId: string | null, isAutomated: boolean) =>
  decision({ moderatorId, outcome: 'kept', facts: 'No.', isAutomated, wasHidden: true });

const hold =
  (more: { canHide?: boolean; removalId?: string } = {}) =>
  (state: CaseState) =>
    holdForRemoval({ ...judged, removalId: 'q1', canHide: true, ...more }, state, CONTEXT);
const end =
  (more: Partial<Parameters<typeof endRemovalHold>[0]> = {}) =>
  (state: CaseState) =>
    endRemovalHold(
      { removalId: 'q1', moderatorId: 'mona', facts: 'No.', hasOtherRemoval: false, isChanged: false, ...more },
      state,
      CONTEXT,
    );

describe('a removal request', () => {
  test('opens the case and hides the content at once', () => {
    given().when(hold()).then(opened, added(), hidden);
  });
  test('hides content that a moderator has confirmed, too', () => {
    const again: ModerationEvent = { type: 'CaseOpened', data: { caseId, ...judged, round: 2 } };
    given(opened, confirmed)
      .when(hold())
      .then(again, added(), decision({ round: 2 }));
  });
  test('is added once', () => {
    given(opened, added(), hidden).when(hold()).then();
    given(opened, added(), hidden)
      .when(hold({ removalId: 'q2' }))
      .then(added('q2'));
  });
  test('hides content that became visible meanwhile, without being added again', () => {
    given(opened, added()).when(hold()).then(hidden);
  });
  test('above the limit of a network hides nothing', () => {
    given()
      .when(hold({ canHide: false }))
      .then(opened, added());
  });
});

describe('the end of a removal request', () => {
  test('that was rejected shows the content and closes the case', () => {
    given(opened, added(), hidden).when(end()).then(restored('mona', false));
  });
  test('that was withdrawn shows the content, and the case stays open', () => {
    given(opened, added(), hidden)
      .when(end({ moderatorId: null }))
      .then(restored(null, true));
  });
  test('leaves the case open if something else was reported', () => {
    const report = { ...judged, reportId: 'r1', reason: 'spam', canHide: true } as const;
    const { state } = given(opened, added(), hidden);
    const [reported] = addReport(report, state, CONTEXT) as readonly [ModerationEvent];
    given(opened, added(), hidden, reported).when(end()).then(restored('mona', true));
  });
  test('leaves a case open that was opened because of a requested change', () => {
    const change = decision({
      moderatorId: 'max',
      outcome: 'change_requested',
      facts: 'Change it.',
      isAutomated: false,
      changeBy: AT,
    });
    const { state } = given(opened, change);
    const changed = endChangeRequest({ held: { contentRevision: 9, revision: 9 }, evidence }, state, CONTEXT);
    given(opened, change, ...changed, { ...added('q1') }, decision({ round: 2 }))
      .when(end())
      .then({ ...restored('mona', true), data: { ...restored('mona', true).data, round: 2 } } as ModerationEvent);
  });
  test('of an earlier round does not decide a later one', () => {
    const again: ModerationEvent = { type: 'CaseOpened', data: { caseId, ...judged, round: 2 } };
    given(opened, added('q1'), confirmed, again, added('q2')).when(end()).then();
  });
  test('hides the content on while other reports alone would hide it', () => {
    const report = { ...judged, reportId: 'r1', reason: 'under_age', canHide: true } as const;
    const { state } = given(opened, added(), hidden);
    const [reported] = addReport(report, state, CONTEXT) as readonly [ModerationEvent];
    given(opened, added(), hidden, reported).when(end()).then();
  });
  test('hides the content on for another undecided request, or after a change', () => {
    given(opened, added(), hidden)
      .when(end({ hasOtherRemoval: true }))
      .then();
    given(opened, added(), hidden)
      .when(end({ isChanged: true }))
      .then();
  });
  test('does not undo the decision of a moderator', () => {
    const removed = decision({ moderatorId: 'max', outcome: 'removed', facts: 'No.', isAutomated: false });
    const again: ModerationEvent = { type: 'CaseOpened', data: { caseId, ...judged, round: 2 } };
    given(opened, removed, again, added()).when(end()).then();
    given(opened, added(), hidden, removed).when(end()).then();
  });
});

/** Returns the decision that carries out a valid request of the moderator Mona. */
const removeBy = (changes: { readonly causedAt?: string; readonly replacesEarlier?: boolean }) => (state: CaseState) =>
  decideConsequence(
    {
      ...judged,
      moderatorId: 'mona',
      outcome: 'removed',
      rule: 'consent',
      facts: 'Because.',
      wasHidden: true,
      causedAt: AT,
      ...changes,
    },
    state,
    CONTEXT,
  );

test('a valid request removes the content, and a later appeal of its owner is not undone by a repeated job', () => {
  const removed = decision({
    moderatorId: 'mona',
    outcome: 'removed',
    facts: 'Because.',
    isAutomated: false,
    wasHidden: true,
  });
  const remove = removeBy({});
  given(opened, added(), hidden).when(remove).then(removed);
  given(opened, added(), hidden, removed).when(remove).then();
});

test('a valid request replaces an earlier decision that hides the content, but not a later one', () => {
  const LATER = '2099-01-01T00:00:00.000Z';
  const remove = (causedAt: string, replacesEarlier: boolean) => removeBy({ causedAt, replacesEarlier });
  const hiddenBefore = decision({ moderatorId: 'max', facts: 'Hidden.', rule: 'other', isAutomated: false });
  const again: ModerationEvent = { type: 'CaseOpened', data: { caseId, ...judged, round: 2 } };
  const removed = decision({
    moderatorId: 'mona',
    outcome: 'removed',
    facts: 'Because.',
    isAutomated: false,
    wasHidden: true,
    round: 2,
  });
  given(opened, hiddenBefore).when(remove(LATER, true)).then(again, removed);
  given(opened, hiddenBefore).when(remove(LATER, false)).then();
  given(opened, hiddenBefore).when(remove(AT, true)).then();
});

describe('a case with an undecided removal request', () => {
  const claimed: ModerationEvent = { type: 'CaseClaimed', data: { caseId, moderatorId: 'mona' } };
  const keep = { moderatorId: 'mona', outcome: 'kept', rule: 'other', facts: 'Fine.', wasHidden: true } as const;
  const decided = decision({
    moderatorId: 'mona',
    outcome: 'kept',
    rule: 'other',
    facts: 'Fine.',
    isAutomated: false,
    wasHidden: true,
  });
  test('is not decided, also if the request was added after the case was read', () => {
    given(opened, added('q1'), added('q2'), hidden, claimed)
      .when((state: CaseState) => decideCase({ ...keep, decidedRemovalIds: ['q1'] }, state, CONTEXT))
      .thenThrows('REMOVAL_UNDECIDED');
    given(opened, added('q1'), added('q2'), hidden, claimed)
      .when((state: CaseState) => decideCase({ ...keep, decidedRemovalIds: ['q1', 'q2'] }, state, CONTEXT))
      .then(decided);
  });
  test('is not shown without a report, or by an admin', () => {
    given(opened, added(), hidden)
      .when((state: CaseState) => decideWithoutReport({ ...judged, ...keep }, state, CONTEXT))
      .thenThrows('REMOVAL_UNDECIDED');
    given(opened, added(), hidden)
      .when((state: CaseState) => restoreReported({ adminId: 'ada', facts: 'An attack.' }, state, CONTEXT))
      .thenThrows('REMOVAL_UNDECIDED');
  });
  test('is not shown by a granted appeal against an earlier decision', () => {
    const removed = decision({ moderatorId: 'max', outcome: 'removed', facts: 'No.', isAutomated: false });
    const appealed: ModerationEvent = {
      type: 'AppealFiled',
      data: { caseId, decisionId: 'new-id', accountId: 'anna', text: 'Why?' },
    };
    const again: ModerationEvent = { type: 'CaseOpened', data: { caseId, ...judged, round: 2 } };
    const grant = (decidedRemovalIds: readonly string[]) => (state: CaseState) =>
      decideAppeal({ moderatorId: 'mona', outcome: 'overturned', facts: 'Right.', decidedRemovalIds }, state, CONTEXT);
    given(opened, removed, appealed, again, added(), claimed).when(grant([])).thenThrows('REMOVAL_UNDECIDED');
    given(opened, removed, appealed, again, added(), claimed)
      .when(grant(['q1']))
      .then({
        type: 'AppealDecided',
        data: {
          caseId,
          decisionId: 'new-id',
          accountId: 'anna',
          moderatorId: 'mona',
          outcome: 'overturned',
          facts: 'Right.',
          filedAt: AT,
        },
      });
  });
});

describe('the owner of hidden content', () => {
  const respond = (more: Partial<Parameters<typeof respondToDecision>[0]> = {}) => {
    const command = { accountId: 'anna', registeredAt: AT, decisionId: 'new-id', text: 'It is me.', ...more };
    return (state: CaseState) => respondToDecision(command, state, CONTEXT);
  };
  const responded: ModerationEvent = {
    type: 'OwnerResponded',
    data: { caseId, decisionId: 'new-id', accountId: 'anna', text: 'It is me.' },
  };
  test('responds once to the automated decision', () => {
    given(opened, added(), hidden).when(respond()).then(responded);
    given(opened, added(), hidden, responded).when(respond()).thenThrows('ALREADY_RESPONDED');
  });
  test('does not respond to the decision of a moderator, or about the content of another person', () => {
    given(opened, added(), hidden)
      .when(respond({ accountId: 'ben' }))
      .thenThrows('DECISION_NOT_FOUND');
    given(opened, added(), hidden)
      .when(respond({ registeredAt: '2026-02-01T00:00:00.000Z' }))
      .thenThrows('DECISION_NOT_FOUND');
    given(opened, added(), hidden, confirmed).when(respond()).thenThrows('NOT_RESPONDABLE');
    given(opened, added(), hidden)
      .when(respond({ decisionId: 'other' }))
      .thenThrows('NOT_RESPONDABLE');
  });
});

test('a moderator who decides about the content ends the removal requests in its case', () => {
  const hide = {
    ...judged,
    moderatorId: 'mona',
    outcome: 'hidden',
    rule: 'consent',
    facts: 'Hidden.',
    wasHidden: true,
  } as const;
  const { state } = given(opened, added(), hidden);
  const events = decideWithoutReport(hide, state, CONTEXT);
  given(opened, added(), hidden, ...events)
    .when(end())
    .then();
});
