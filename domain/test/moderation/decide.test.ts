import { describe, expect, test } from 'vitest';
import {
  addReport,
  claimCase,
  decideAppeal,
  decideCase,
  decideDirectly,
  FACTS_OF_REPORT,
  fileAppeal,
  hideByRule,
  isEvidenceNeeded,
  releaseCase,
  type AddReport,
  type DecideCase,
} from '../../src/moderation/decide.ts';
import type { ModerationEvent } from '../../src/moderation/events.ts';
import { APPEAL_WINDOW_ms, CLAIM_LIFETIME_ms } from '../../src/moderation/fields.ts';
import { moderationCase } from '../../src/moderation/state.ts';
import { caseIdOf, caseSubjectOf, postOfSubject } from '../../src/moderation/subject.ts';
import { AT, given as givenOf } from '../given.ts';

const given = givenOf(moderationCase);
const later = (ms: number) => new Date(Date.parse(AT) + ms).toISOString();
const at = (now: string) => ({ now, newId: () => 'd1' });
const NOW = at(AT);

const subject = { kind: 'ad', id: 'a1' } as const;
const caseId = 'ad-a1';
const evidence = { stream: 'listing-anna', revision: 3 };
const judged = { subject, ownerId: 'anna', evidence };
const reporting = (more: Partial<AddReport> = {}): AddReport => ({
  ...judged,
  reportId: 'r1',
  reason: 'spam',
  isHiding: true,
  ...more,
});
const opened: ModerationEvent = { type: 'CaseOpened', data: { caseId, ...judged, round: 1 } };
const added = (reportId = 'r1', reason: AddReport['reason'] = 'spam'): ModerationEvent => ({
  type: 'CaseReportAdded',
  data: { caseId, reportId, reason, priority: reason === 'spam' ? 'normal' : 'high', evidence },
});
const claimed = (moderatorId = 'mona'): ModerationEvent => ({ type: 'CaseClaimed', data: { caseId, moderatorId } });
const decision = (more: Partial<Extract<ModerationEvent, { type: 'CaseDecided' }>['data']> = {}): ModerationEvent => ({
  type: 'CaseDecided',
  data: {
    caseId,
    decisionId: 'd1',
    round: 1,
    ...judged,
    moderatorId: 'mona',
    outcome: 'hidden',
    rule: 'contact',
    facts: 'A number.',
    isAutomated: false,
    hidingRuleId: null,
    wasHidden: false,
    openedAt: AT,
    ...more,
  },
});
const automated = { moderatorId: null, rule: 'under_age', facts: FACTS_OF_REPORT, isAutomated: true } as const;
const deciding = (more: Partial<DecideCase> = {}): DecideCase => ({
  moderatorId: 'mona',
  outcome: 'hidden',
  rule: 'contact',
  facts: 'A number.',
  wasHidden: false,
  ...more,
});
const appealed: ModerationEvent = {
  type: 'AppealFiled',
  data: { caseId, decisionId: 'd1', accountId: 'anna', text: 'Mine.' },
};
const appealDecided = (outcome: 'upheld' | 'overturned'): ModerationEvent => ({
  type: 'AppealDecided',
  data: { caseId, decisionId: 'd1', accountId: 'anna', moderatorId: 'max', outcome, facts: 'So.', filedAt: AT },
});

describe('a subject', () => {
  test('has one case; an opening post stands for its thread', () => {
    const threadId = '0193a1b2-0000-7000-8000-000000000001';
    expect(caseIdOf(subject)).toBe(caseId);
    expect(caseSubjectOf({ kind: 'post', id: `${threadId}-0` })).toEqual({ kind: 'thread', id: threadId });
    expect(caseIdOf({ kind: 'post', id: `${threadId}-3` })).toBe(`post-${threadId}-3`);
    expect(postOfSubject({ kind: 'thread', id: threadId })).toEqual({ threadId, number: 0 });
    expect(postOfSubject(subject)).toBeNull();
  });
});

describe('a report', () => {
  test('opens a case, and another one is added to it', () => {
    given()
      .when((state) => addReport(reporting(), state, NOW))
      .then(opened, added());
    given(opened, added())
      .when((state) => addReport(reporting({ reportId: 'r2' }), state, NOW))
      .then(added('r2'));
  });
  test('is counted once, in a later round as well', () => {
    given(opened, added())
      .when((state) => addReport(reporting(), state, NOW))
      .then();
    given(opened, added(), decision({ outcome: 'kept' }))
      .when((state) => addReport(reporting(), state, NOW))
      .then();
  });
  test('that hides at once is an automated decision; the case stays open', () => {
    const urgent = given().when((state) => addReport(reporting({ reason: 'under_age' }), state, NOW));
    urgent.then(opened, added('r1', 'under_age'), decision(automated));
    expect(given(opened, added('r1', 'under_age'), decision(automated)).state).toMatchObject({
      isOpen: true,
      isHolding: true,
      priority: 'high',
      claim: null,
    });
  });
  test('of the product itself, on a known picture, comes first and hides nothing', () => {
    given()
      .when((state) => addReport(reporting({ reason: 'known_image' }), state, NOW))
      .then(opened, added('r1', 'known_image'));
  });
  test('hides nothing a moderator let stand, and nothing twice', () => {
    given()
      .when((state) => addReport(reporting({ reason: 'forced', isHiding: false }), state, NOW))
      .then(opened, added('r1', 'forced'));
    given(opened, added('r1', 'under_age'), decision(automated))
      .when((state) => addReport(reporting({ reportId: 'r2', reason: 'under_age' }), state, NOW))
      .then(added('r2', 'under_age'));
  });
  test('after a decision opens another round', () => {
    given(opened, added(), decision({ outcome: 'kept' }))
      .when((state) => addReport(reporting({ reportId: 'r2' }), state, NOW))
      .then({ type: 'CaseOpened', data: { caseId, ...judged, round: 2 } }, added('r2'));
  });
});

test('a hiding rule hides once, and leaves a case for a moderator', () => {
  const rule = { ...judged, hidingRuleId: 'h1', rule: 'spam', facts: 'A number in the title.' } as const;
  const byRule = decision({
    moderatorId: null,
    rule: 'spam',
    facts: 'A number in the title.',
    isAutomated: true,
    hidingRuleId: 'h1',
  });
  given()
    .when((state) => hideByRule(rule, state, NOW))
    .then(opened, byRule);
  given(opened, byRule)
    .when((state) => hideByRule(rule, state, NOW))
    .then();
});

describe('a claim', () => {
  test('keeps others off for half an hour', () => {
    given(opened)
      .when((state) => claimCase('mona', state, NOW))
      .then(claimed());
    given(opened, claimed())
      .when((state) => claimCase('max', state, at(later(CLAIM_LIFETIME_ms - 1))))
      .thenRefused('CASE_CLAIMED');
    given(opened, claimed())
      .when((state) => claimCase('mona', state, NOW))
      .then();
    given(opened, claimed())
      .when((state) => claimCase('max', state, at(later(CLAIM_LIFETIME_ms))))
      .then(claimed('max'));
  });
  test('is given back by whoever has it', () => {
    given(opened, claimed())
      .when((state) => releaseCase('mona', state))
      .then({ type: 'CaseReleased', data: { caseId, moderatorId: 'mona' } });
    given(opened, claimed())
      .when((state) => releaseCase('max', state))
      .then();
    given()
      .when((state) => releaseCase('max', state))
      .thenRefused('CASE_NOT_FOUND');
  });
  test('is for what waits, and not for one’s own content', () => {
    given()
      .when((state) => claimCase('mona', state, NOW))
      .thenRefused('CASE_NOT_FOUND');
    given(opened, decision())
      .when((state) => claimCase('mona', state, NOW))
      .thenRefused('NOTHING_TO_DECIDE');
    given(opened)
      .when((state) => claimCase('anna', state, NOW))
      .thenRefused('OWN_CONTENT');
  });
});

describe('a decision', () => {
  test('needs a claim that lasts', () => {
    given(opened, claimed())
      .when((state) => decideCase(deciding(), state, NOW))
      .then(decision());
    given(opened)
      .when((state) => decideCase(deciding(), state, NOW))
      .thenRefused('CASE_NOT_CLAIMED');
    given(opened, claimed('max'))
      .when((state) => decideCase(deciding(), state, NOW))
      .thenRefused('CASE_NOT_CLAIMED');
    given(opened, claimed())
      .when((state) => decideCase(deciding(), state, at(later(CLAIM_LIFETIME_ms))))
      .thenRefused('CASE_NOT_CLAIMED');
  });
  test('is not of any kind for any subject', () => {
    const article = { subject: { kind: 'article', id: 'safety' }, ownerId: null, evidence } as const;
    given()
      .when((state) => decideDirectly({ ...deciding({ outcome: 'hidden' }), ...article }, state, NOW))
      .thenRefused('WRONG_OUTCOME');
    given()
      .when((state) =>
        decideDirectly({ ...deciding({ outcome: 'account_closed' }), ...judged, ownerId: null }, state, NOW),
      )
      .thenRefused('WRONG_OUTCOME');
  });
  test('about what nobody reported opens and decides in one', () => {
    given()
      .when((state) => decideDirectly({ ...deciding(), ...judged }, state, NOW))
      .then(opened, decision());
    given()
      .when((state) => decideDirectly({ ...deciding({ moderatorId: 'anna' }), ...judged }, state, NOW))
      .thenRefused('OWN_CONTENT');
    given(opened, claimed('max'))
      .when((state) => decideDirectly({ ...deciding(), ...judged }, state, NOW))
      .thenRefused('CASE_CLAIMED');
    given(opened, decision(), appealed)
      .when((state) => decideDirectly({ ...deciding(), ...judged }, state, NOW))
      .thenRefused('APPEAL_PENDING');
  });
});

describe('an appeal', () => {
  const filing = { accountId: 'anna', decisionId: 'd1', text: 'Mine.' };
  test('is filed once, in time, by whose content it is', () => {
    given(opened, decision())
      .when((state) => fileAppeal(filing, state, NOW))
      .then(appealed);
    given(opened, decision(), appealed)
      .when((state) => fileAppeal(filing, state, NOW))
      .thenRefused('ALREADY_APPEALED');
    given(opened, decision())
      .when((state) => fileAppeal({ ...filing, accountId: 'ben' }, state, NOW))
      .thenRefused('DECISION_NOT_FOUND');
    given(opened, decision())
      .when((state) => fileAppeal(filing, state, at(later(APPEAL_WINDOW_ms + 1))))
      .thenRefused('APPEAL_OVER');
  });
  test('is against a decision that stands and that somebody made', () => {
    given(opened, decision({ outcome: 'kept' }))
      .when((state) => fileAppeal(filing, state, NOW))
      .thenRefused('NOT_APPEALABLE');
    given(opened, decision(automated))
      .when((state) => fileAppeal(filing, state, NOW))
      .thenRefused('NOT_APPEALABLE');
    given(opened, decision({ decisionId: 'd0' }), decision())
      .when((state) => fileAppeal({ ...filing, decisionId: 'd0' }, state, NOW))
      .thenRefused('NOT_APPEALABLE');
  });
  test('is decided by another moderator with a claim', () => {
    const waiting = [opened, decision(), appealed] as const;
    const said = { moderatorId: 'max', outcome: 'overturned', facts: 'So.' } as const;
    given(...waiting)
      .when((state) => claimCase('mona', state, NOW))
      .thenRefused('ANOTHER_MODERATOR');
    given(...waiting)
      .when((state) => decideAppeal(said, state, NOW))
      .thenRefused('CASE_NOT_CLAIMED');
    given(...waiting, claimed('max'))
      .when((state) => decideAppeal(said, state, NOW))
      .then(appealDecided('overturned'));
    given(...waiting, claimed('mona'))
      .when((state) => decideAppeal({ ...said, moderatorId: 'mona' }, state, NOW))
      .thenRefused('ANOTHER_MODERATOR');
    given(...waiting, claimed('max'))
      .when((state) => decideCase(deciding({ moderatorId: 'max' }), state, NOW))
      .thenRefused('APPEAL_PENDING');
    given(opened, decision())
      .when((state) => decideAppeal(said, state, NOW))
      .thenRefused('NO_APPEAL');
  });
  test('overturned lets go, upheld holds on', () => {
    expect(given(opened, decision(), appealed, appealDecided('overturned')).state).toMatchObject({
      isHolding: false,
      appeal: null,
    });
    expect(given(opened, decision(), appealed, appealDecided('upheld')).state).toMatchObject({
      isHolding: true,
      appeal: null,
    });
  });
});

test('evidence is kept while somebody decides or may appeal', () => {
  expect(isEvidenceNeeded(null, AT)).toBe(false);
  expect(isEvidenceNeeded(given(opened).state, later(APPEAL_WINDOW_ms * 2))).toBe(true);
  expect(isEvidenceNeeded(given(opened, decision({ outcome: 'kept' })).state, AT)).toBe(false);
  const hidden = given(opened, decision()).state;
  expect([
    isEvidenceNeeded(hidden, later(APPEAL_WINDOW_ms)),
    isEvidenceNeeded(hidden, later(APPEAL_WINDOW_ms + 1)),
  ]).toEqual([true, false]);
  expect(isEvidenceNeeded(given(opened, decision(), appealed).state, later(APPEAL_WINDOW_ms * 2))).toBe(true);
  expect(isEvidenceNeeded(given(opened, decision(), appealed, appealDecided('upheld')).state, AT)).toBe(false);
});
