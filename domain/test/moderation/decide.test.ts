import { describe, expect, test } from 'vitest';
import { toStreamId } from '../../src/aggregate.ts';
import { listing } from '../../src/listing/state.ts';
import type { AddReport, DecideCase } from '../../src/moderation/commands.ts';
import {
  addReport,
  restoreReported,
  claimCase,
  decideAppeal,
  decideCase,
  decideConsequence,
  decideLinkedCase,
  decideWithoutReport,
  endChangeRequest,
  fileAppeal,
  hideContentByRule,
  releaseCase,
} from '../../src/moderation/decide.ts';
import type { ModerationEvent } from '../../src/moderation/events.ts';
import {
  APPEAL_WINDOW_ms,
  AUTOMATED_REPORT_FACTS,
  CLAIM_LIFETIME_ms,
  CLAIM_RENEWAL_ms,
  DEFAULT_CHANGE_DAYS,
} from '../../src/moderation/fields.ts';
import { isConfirmed, isProfileConfirmed, moderationCase, type CaseState } from '../../src/moderation/state.ts';
import {
  toCaseId,
  toCaseSubject,
  parseCaseId,
  findSubjectPost,
  parseCaseSubject,
  type CaseId,
} from '../../src/moderation/subject.ts';
import { toPostId } from '../../src/thread/post-id.ts';
import { AT, givenAggregate } from '../given.ts';

const given = givenAggregate(moderationCase);
const later = (ms: number) => new Date(Date.parse(AT) + ms).toISOString();
const at = (now: string) => ({ now, newId: () => 'd1' });
const NOW = at(AT);

const subject = { kind: 'ad', id: 'a1' } as const;
const caseId = 'ad-a1' as CaseId;
const evidence = { stream: toStreamId(listing, 'anna'), revision: 3 };
const judged = { subject, ownerId: 'anna', evidence };
const reporting = (more: Partial<AddReport> = {}): AddReport => ({
  ...judged,
  reportId: 'r1',
  reason: 'spam',
  canHide: true,
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
const automated = { moderatorId: null, rule: 'under_age', facts: AUTOMATED_REPORT_FACTS, isAutomated: true } as const;
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
  test('has one case, which an opening post shares with its thread', () => {
    const threadId = '0193a1b2-0000-7000-8000-000000000001';
    expect(toCaseId(subject)).toBe(caseId);
    expect(toCaseSubject({ kind: 'post', id: toPostId(threadId, 0) })).toEqual({ kind: 'thread', id: threadId });
    expect(toCaseId({ kind: 'post', id: toPostId(threadId, 3) })).toBe(`post-${threadId}-3`);
    expect(parseCaseId(caseId)).toBe(caseId);
    expect(parseCaseId('case-1')).toBeNull();
    expect(parseCaseSubject(caseId)).toEqual(subject);
    expect(parseCaseSubject('case-1' as CaseId)).toBeNull();
    expect(findSubjectPost({ kind: 'thread', id: threadId })).toEqual({ threadId, number: 0 });
    expect(findSubjectPost(subject)).toBeNull();
  });
});

describe('a report', () => {
  test('opens a case, and a second report is added to it', () => {
    given().decide(addReport, reporting(), NOW).then(opened, added());
    given(opened, added())
      .decide(addReport, reporting({ reportId: 'r2' }), NOW)
      .then(added('r2'));
  });
  test('is counted once, even in a later round', () => {
    given(opened, added()).decide(addReport, reporting(), NOW).then();
    given(opened, added(), decision({ outcome: 'kept' }))
      .decide(addReport, reporting(), NOW)
      .then();
  });
  test('that hides content is an automated decision, and the case stays open', () => {
    const urgent = given().decide(addReport, reporting({ reason: 'under_age' }), NOW);
    urgent.then(opened, added('r1', 'under_age'), decision(automated));
    expect(given(opened, added('r1', 'under_age'), decision(automated)).state).toMatchObject({
      isOpen: true,
      isHidingSubject: true,
      priority: 'high',
      claim: null,
    });
  });
  test('of the product itself about a known picture has priority and hides nothing', () => {
    given()
      .decide(addReport, reporting({ reason: 'known_image' }), NOW)
      .then(opened, added('r1', 'known_image'));
  });
  test('hides neither approved content nor hidden content', () => {
    given()
      .decide(addReport, reporting({ reason: 'forced', canHide: false }), NOW)
      .then(opened, added('r1', 'forced'));
    given(opened, added('r1', 'under_age'), decision(automated))
      .decide(addReport, reporting({ reportId: 'r2', reason: 'under_age' }), NOW)
      .then(added('r2', 'under_age'));
  });
  test('without enough weight hides nothing until another report adds enough weight', () => {
    const light = (reportId: string): ModerationEvent => ({
      type: 'CaseReportAdded',
      data: { caseId, reportId, reason: 'under_age', priority: 'high', evidence, weight: 0.5 },
    });
    given()
      .decide(addReport, reporting({ reason: 'under_age', weight: 0.5 }), NOW)
      .then(opened, light('r1'));
    given(opened, light('r1'))
      .decide(addReport, reporting({ reportId: 'r2', reason: 'under_age', weight: 0.5 }), NOW)
      .then(light('r2'), decision(automated));
    given(opened, light('r1'), decision({ outcome: 'kept' }))
      .decide(addReport, reporting({ reportId: 'r2', reason: 'under_age', weight: 0.5 }), NOW)
      .then({ type: 'CaseOpened', data: { caseId, ...judged, round: 2 } }, light('r2'));
  });
  test('that hides content is undone by an admin, and the case stays open', () => {
    const command = { adminId: 'ada', facts: 'A wave of false reports.' };
    const undone = given(opened, added('r1', 'under_age'), decision(automated)).decide(restoreReported, command, NOW);
    const restored = decision({
      moderatorId: 'ada',
      outcome: 'kept',
      rule: 'other',
      facts: command.facts,
      isAutomated: true,
      wasHidden: true,
    });
    undone.then(restored);
    expect(given(opened, added('r1', 'under_age'), decision(automated), restored).state).toMatchObject({
      isOpen: true,
      isHidingSubject: false,
      hidingWeight: 0,
    });
    given(opened, added(), decision({ outcome: 'hidden' }))
      .decide(restoreReported, command, NOW)
      .then();
    given(opened, added('r1', 'under_age'), decision(automated))
      .decide(restoreReported, { ...command, adminId: 'anna' }, NOW)
      .then();
  });
  test('is undone only in an open case whose content a report hides', () => {
    const hiddenByReport = decision(automated);
    const undoing = (state: CaseState) => restoreReported({ adminId: 'ada', facts: 'A wave.' }, state, NOW);
    for (const history of [
      [],
      [opened, added()],
      [opened, added('r1', 'under_age'), hiddenByReport, decision({ outcome: 'hidden' })],
      [opened, decision({ ...automated, hidingRuleId: 'h1' })],
      [opened, decision({ ...automated, changeBy: later(1) })],
    ])
      given(...history)
        .when(undoing)
        .then();
  });
  test('opens another round after a decision', () => {
    given(opened, added(), decision({ outcome: 'kept' }))
      .decide(addReport, reporting({ reportId: 'r2' }), NOW)
      .then({ type: 'CaseOpened', data: { caseId, ...judged, round: 2 } }, added('r2'));
  });
});

test('a hiding rule hides content once, and opens a case for a moderator', () => {
  const rule = { ...judged, hidingRuleId: 'h1', rule: 'spam', facts: 'A number in the title.' } as const;
  const byRule = decision({
    moderatorId: null,
    rule: 'spam',
    facts: 'A number in the title.',
    isAutomated: true,
    hidingRuleId: 'h1',
  });
  given().decide(hideContentByRule, rule, NOW).then(opened, byRule);
  given(opened, byRule).decide(hideContentByRule, rule, NOW).then();
});

describe('a claim', () => {
  test('excludes other moderators for half an hour', () => {
    given(opened).decide(claimCase, { moderatorId: 'mona' }, NOW).then(claimed());
    given(opened, claimed())
      .decide(claimCase, { moderatorId: 'max' }, at(later(CLAIM_LIFETIME_ms - 1)))
      .thenThrows('CASE_CLAIMED');
    given(opened, claimed()).decide(claimCase, { moderatorId: 'mona' }, NOW).then();
    given(opened, claimed())
      .decide(claimCase, { moderatorId: 'max' }, at(later(CLAIM_LIFETIME_ms)))
      .then(claimed('max'));
  });
  test('is renewed by its moderator in its last ten minutes only', () => {
    const renewable_ms = CLAIM_LIFETIME_ms - CLAIM_RENEWAL_ms;
    given(opened, claimed())
      .decide(claimCase, { moderatorId: 'mona' }, at(later(renewable_ms - 1)))
      .then();
    given(opened, claimed())
      .decide(claimCase, { moderatorId: 'mona' }, at(later(renewable_ms)))
      .then(claimed());
    given(opened, claimed())
      .decide(claimCase, { moderatorId: 'max' }, at(later(renewable_ms)))
      .thenThrows('CASE_CLAIMED');
  });
  test('is released by its moderator only', () => {
    given(opened, claimed())
      .decide(releaseCase, { moderatorId: 'mona' })
      .then({ type: 'CaseReleased', data: { caseId, moderatorId: 'mona' } });
    given(opened, claimed()).decide(releaseCase, { moderatorId: 'max' }).then();
    given().decide(releaseCase, { moderatorId: 'max' }).thenThrows('CASE_NOT_FOUND');
  });
  test('is possible for waiting cases only, and not for one’s own content', () => {
    given().decide(claimCase, { moderatorId: 'mona' }, NOW).thenThrows('CASE_NOT_FOUND');
    given(opened, decision()).decide(claimCase, { moderatorId: 'mona' }, NOW).thenThrows('NOTHING_TO_DECIDE');
    given(opened).decide(claimCase, { moderatorId: 'anna' }, NOW).thenThrows('OWN_CONTENT');
  });
});

describe('a decision', () => {
  test('requires a valid claim', () => {
    given(opened, claimed()).decide(decideCase, deciding(), NOW).then(decision());
    given(opened).decide(decideCase, deciding(), NOW).thenThrows('CASE_NOT_CLAIMED');
    given(opened, claimed('max')).decide(decideCase, deciding(), NOW).thenThrows('CASE_NOT_CLAIMED');
    given(opened, claimed())
      .decide(decideCase, deciding(), at(later(CLAIM_LIFETIME_ms)))
      .thenThrows('CASE_NOT_CLAIMED');
  });
  test('shows hidden content only in the version that the moderator has read', () => {
    const hiding = [
      opened,
      added('r1', 'under_age'),
      decision({ ...automated, outcome: 'hidden' }),
      claimed(),
    ] as const;
    const keeping = (contentRevision: number, readRevision?: number) => (state: CaseState) =>
      decideCase(
        deciding({
          outcome: 'kept',
          held: { contentRevision, revision: 7 },
          ...(readRevision !== undefined && { evidence: { ...evidence, revision: readRevision } }),
        }),
        state,
        NOW,
      );
    given(...hiding)
      .when(keeping(3))
      .then(decision({ outcome: 'kept' }));
    given(...hiding)
      .when(keeping(4))
      .thenThrows('CONTENT_CHANGED');
    given(...hiding)
      .when(keeping(6, 5))
      .thenThrows('CONTENT_CHANGED');
    given(...hiding)
      .when(keeping(6, 8))
      .thenThrows('CONTENT_CHANGED');
    given(...hiding)
      .when(keeping(6, 6))
      .then(decision({ outcome: 'kept', evidence: { ...evidence, revision: 6 } }));
    given(...hiding)
      .decide(decideCase, deciding({ held: { contentRevision: 6, revision: 7 } }), NOW)
      .then(decision());
    // The content is visible anyway.
    given(opened, claimed())
      .when(keeping(6))
      .then(decision({ outcome: 'kept' }));
  });
  test('of a moderator confirms the judged version, and nothing else does', () => {
    const confirmed = (...events: ModerationEvent[]) =>
      [3, 4].map((revision) => isConfirmed(given(...events).state, revision));
    expect(confirmed(opened, decision({ outcome: 'kept' }))).toEqual([true, false]);
    expect(confirmed(opened, decision(), appealed, appealDecided('overturned'))).toEqual([true, false]);
    expect(confirmed(opened, decision())).toEqual([false, false]);
    expect(confirmed(opened, decision(), appealed, appealDecided('upheld'))).toEqual([false, false]);
    expect(confirmed(opened, decision({ outcome: 'kept', isAutomated: true }))).toEqual([false, false]);
    expect(confirmed(opened)).toEqual([false, false]);
    expect(confirmed()).toEqual([false, false]);
  });
  test('confirms a profile that has not changed since the report', () => {
    const { state } = given(opened, decision({ outcome: 'kept' }));
    expect([isProfileConfirmed(state, AT), isProfileConfirmed(state, later(1))]).toEqual([true, false]);
  });
  test('allows only the outcomes of its subject kind', () => {
    const article = { subject: { kind: 'article', id: 'safety' }, ownerId: null, evidence } as const;
    given()
      .decide(decideWithoutReport, { ...deciding({ outcome: 'hidden' }), ...article }, NOW)
      .thenThrows('WRONG_OUTCOME');
    given()
      .decide(decideWithoutReport, { ...deciding({ outcome: 'account_closed' }), ...judged, ownerId: null }, NOW)
      .thenThrows('WRONG_OUTCOME');
    const account = { subject: { kind: 'account', id: 'anna' }, ownerId: 'anna', evidence } as const;
    given()
      .decide(decideWithoutReport, { ...deciding({ outcome: 'change_requested' }), ...account }, NOW)
      .thenThrows('WRONG_OUTCOME');
  });
  test('about content without a report opens and decides a case in one step', () => {
    given()
      .decide(decideWithoutReport, { ...deciding(), ...judged }, NOW)
      .then(opened, decision());
    given()
      .decide(decideWithoutReport, { ...deciding({ moderatorId: 'anna' }), ...judged }, NOW)
      .thenThrows('OWN_CONTENT');
    given(opened, claimed('max'))
      .decide(decideWithoutReport, { ...deciding(), ...judged }, NOW)
      .thenThrows('CASE_CLAIMED');
    given(opened, decision(), appealed)
      .decide(decideWithoutReport, { ...deciding(), ...judged }, NOW)
      .thenThrows('APPEAL_PENDING');
  });
  test('about content without a report is made once, also after it has hidden the content', () => {
    given(opened, decision())
      .decide(decideWithoutReport, { ...deciding({ wasHidden: true }), ...judged }, NOW)
      .then();
  });
  test.each<[string, Partial<DecideCase>]>([
    ['another moderator', { moderatorId: 'max' }],
    ['another outcome', { outcome: 'removed' }],
    ['another rule', { rule: 'spam' }],
    ['other facts', { facts: 'Another reason.' }],
  ])('about content without a report is a new decision with %s', (_what, change) => {
    given(opened, decision())
      .decide(decideWithoutReport, { ...deciding(change), ...judged }, NOW)
      .then({ ...opened, data: { ...opened.data, round: 2 } }, decision({ ...change, round: 2 }));
  });
  test('about a later account with the same id is a new decision', () => {
    const ownerSince = later(1);
    given(opened, decision())
      .decide(decideWithoutReport, { ...deciding(), ...judged, ownerSince: AT }, NOW)
      .then();
    given(opened, decision())
      .decide(decideWithoutReport, { ...deciding(), ...judged, ownerSince }, NOW)
      .then({ ...opened, data: { ...opened.data, round: 2 } }, decision({ round: 2 }));
  });
  test('about content without a report is made once by two equal requests', () => {
    given(opened, decision())
      .decide(decideWithoutReport, { ...deciding(), ...judged }, NOW)
      .then();
  });
});

describe('an appeal', () => {
  const filing = { accountId: 'anna', registeredAt: null, decisionId: 'd1', text: 'Mine.' };
  test('is filed once, in time, by the owner of the content', () => {
    given(opened, decision()).decide(fileAppeal, filing, NOW).then(appealed);
    given(opened, decision(), appealed).decide(fileAppeal, filing, NOW).thenThrows('ALREADY_APPEALED');
    given(opened, decision())
      .decide(fileAppeal, { ...filing, accountId: 'ben' }, NOW)
      .thenThrows('DECISION_NOT_FOUND');
    given(opened, decision())
      .decide(fileAppeal, { ...filing, registeredAt: later(1) }, NOW)
      .thenThrows('DECISION_NOT_FOUND');
    given(opened, decision())
      .decide(fileAppeal, { ...filing, registeredAt: AT }, at(later(APPEAL_WINDOW_ms)))
      .then(appealed);
    given(opened).decide(fileAppeal, filing, NOW).thenThrows('NOT_APPEALABLE');
    given(opened, decision())
      .decide(fileAppeal, filing, at(later(APPEAL_WINDOW_ms + 1)))
      .thenThrows('APPEAL_OVER');
  });
  test('waits for the appeal against an earlier decision, which it does not replace', () => {
    given(opened, decision(), appealed, decision({ decisionId: 'd2' }))
      .decide(fileAppeal, { ...filing, decisionId: 'd2' }, NOW)
      .thenThrows('APPEAL_PENDING');
  });
  test('is possible only against the current decision of a moderator', () => {
    given(opened, decision({ outcome: 'kept' }))
      .decide(fileAppeal, filing, NOW)
      .thenThrows('NOT_APPEALABLE');
    given(opened, decision(automated)).decide(fileAppeal, filing, NOW).thenThrows('NOT_APPEALABLE');
    given(opened, decision({ decisionId: 'd0' }), decision())
      .decide(fileAppeal, { ...filing, decisionId: 'd0' }, NOW)
      .thenThrows('NOT_APPEALABLE');
  });
  test('is decided by another moderator with a claim', () => {
    const waiting = [opened, decision(), appealed] as const;
    const appealDecision = { moderatorId: 'max', outcome: 'overturned', facts: 'So.' } as const;
    given(...waiting)
      .decide(claimCase, { moderatorId: 'mona' }, NOW)
      .thenThrows('ANOTHER_MODERATOR');
    given(...waiting)
      .decide(decideAppeal, appealDecision, NOW)
      .thenThrows('CASE_NOT_CLAIMED');
    given(...waiting, claimed('max'))
      .decide(decideAppeal, appealDecision, NOW)
      .then(appealDecided('overturned'));
    given(...waiting, claimed('mona'))
      .decide(decideAppeal, { ...appealDecision, moderatorId: 'mona' }, NOW)
      .thenThrows('ANOTHER_MODERATOR');
    given(...waiting, claimed('max'))
      .decide(decideCase, deciding({ moderatorId: 'max' }), NOW)
      .thenThrows('APPEAL_PENDING');
    given(opened, decision()).decide(decideAppeal, appealDecision, NOW).thenThrows('NO_APPEAL');
    const held = { contentRevision: 5, revision: 7 };
    given(...waiting, claimed('max'))
      .decide(decideAppeal, { ...appealDecision, held }, NOW)
      .thenThrows('CONTENT_CHANGED');
    given(...waiting, claimed('max'))
      .decide(decideAppeal, { ...appealDecision, held, revision: 5 }, NOW)
      .then(appealDecided('overturned'));
    given(...waiting, claimed('max'))
      .decide(decideAppeal, { ...appealDecision, outcome: 'upheld', held }, NOW)
      .then(appealDecided('upheld'));
  });
  test('releases the content if it is overturned, and not if it is upheld', () => {
    expect(given(opened, decision(), appealed, appealDecided('overturned')).state).toMatchObject({
      isHidingSubject: false,
      appeal: null,
    });
    expect(given(opened, decision(), appealed, appealDecided('upheld')).state).toMatchObject({
      isHidingSubject: true,
      appeal: null,
    });
  });
});

describe('an appeal against an earlier decision', () => {
  const appealing = [opened, decision({ outcome: 'warned' }), appealed] as const;
  const newer = decision({ decisionId: 'd2', moderatorId: 'max', rule: 'under_age', round: 2 });
  const reported = decision({ ...automated, decisionId: 'd2' });

  test.each(['upheld', 'overturned'] as const)('does not change the newer decision: %s', (outcome) => {
    for (const replacing of [newer, reported])
      expect(given(...appealing, replacing, appealDecided(outcome)).state).toMatchObject({
        appeal: null,
        isHidingSubject: true,
        decision: { decisionId: 'd2', isReversed: false },
      });
  });

  test('cannot be decided by the moderator of the earlier decision, and ignores later versions of the content', () => {
    const deciding = (moderatorId: string) => (state: CaseState) =>
      decideAppeal(
        { moderatorId, outcome: 'overturned', facts: 'So.', held: { contentRevision: 5, revision: 7 } },
        state,
        NOW,
      );
    given(...appealing, reported, claimed('mona'))
      .when(deciding('mona'))
      .thenThrows('ANOTHER_MODERATOR');
    given(...appealing, newer, claimed('max'))
      .when(deciding('max'))
      .then(appealDecided('overturned'));
  });
});

describe('an outcome that leaves content online', () => {
  test.each(['warned', 'change_requested', 'photo_removed'] as const)(
    'does not hide the content, and ends the hiding by a report: %s',
    (outcome) => {
      const hidden = decision({ ...automated, wasHidden: false });
      const { state } = given(opened, added('r1', 'under_age'), hidden, decision({ outcome }));
      expect(state).toMatchObject({ isHidingSubject: false, isOpen: false, hidingWeight: 0 });
      expect(isConfirmed(state, 3)).toBe(true);
    },
  );

  test('is recorded with the date of the change or the removed photo, and other outcomes have neither', () => {
    const DAY_ms = 24 * 60 * 60_000;
    const more = { changeDays: 3, photoId: 'p1' };
    for (const [outcome, recorded] of [
      ['change_requested', { changeBy: later(3 * DAY_ms) }],
      ['photo_removed', { photoId: 'p1' }],
      ['warned', {}],
    ] as const)
      given(opened, added(), claimed())
        .decide(decideCase, deciding({ outcome, ...more }), NOW)
        .then(decision({ outcome, ...recorded }));
    given(opened, added(), claimed())
      .decide(decideCase, deciding({ outcome: 'change_requested' }), NOW)
      .then(decision({ outcome: 'change_requested', changeBy: later(DEFAULT_CHANGE_DAYS * DAY_ms) }));
  });

  test.each(['under_age', 'forced'] as const)('is rejected under the rule %s', (rule) => {
    for (const outcome of ['warned', 'change_requested', 'photo_removed'] as const)
      given(opened, added(), claimed())
        .decide(decideCase, deciding({ outcome, rule }), NOW)
        .thenThrows('RULE_HIDES_CONTENT');
    given(opened, added(), claimed())
      .decide(decideCase, deciding({ outcome: 'kept', rule }), NOW)
      .then(decision({ outcome: 'kept', rule }));
  });

  test('can be appealed, except for the removal of a photo, which has its own decision', () => {
    const appeal = { accountId: 'anna', registeredAt: null, decisionId: 'd1', text: 'Mine.' };
    for (const outcome of ['warned', 'change_requested'] as const)
      given(opened, decision({ outcome })).decide(fileAppeal, appeal, NOW).then(appealed);
    given(opened, decision({ outcome: 'photo_removed', photoId: 'p1' }))
      .decide(fileAppeal, appeal, NOW)
      .thenThrows('NOT_APPEALABLE');
  });
});

describe('the end of the time for a change', () => {
  const changeBy = later(1000);
  const requested = decision({ outcome: 'change_requested', changeBy });
  const current = { stream: evidence.stream, revision: 5 };
  const ending = { held: { contentRevision: 3, revision: 5 }, evidence: current };
  const reopened: ModerationEvent = {
    type: 'CaseOpened',
    data: { caseId, subject, ownerId: 'anna', round: 2, evidence: current },
  };

  test('hides unchanged content with the reasons of the moderator, and opens the case again', () => {
    given(opened, requested)
      .decide(endChangeRequest, ending, at(changeBy))
      .then(
        reopened,
        decision({ round: 2, evidence: current, moderatorId: null, isAutomated: true, openedAt: changeBy, changeBy }),
      );
  });

  test('is later by the duration of an appeal that was rejected', () => {
    const filed = { at: later(400), event: appealed };
    const rejected = {
      at: later(5000),
      event: {
        type: 'AppealDecided',
        data: {
          caseId,
          decisionId: 'd1',
          accountId: 'anna',
          moderatorId: 'max',
          outcome: 'upheld',
          facts: 'So.',
          filedAt: later(400),
        },
      } as const,
    };
    const end = later(5600);
    given(opened, requested, filed, rejected)
      .decide(endChangeRequest, ending, at(later(5599)))
      .then();
    given(opened, requested, filed, rejected)
      .decide(endChangeRequest, ending, at(end))
      .then(
        reopened,
        decision({
          round: 2,
          evidence: current,
          moderatorId: null,
          isAutomated: true,
          openedAt: end,
          changeBy: end,
        }),
      );
  });

  test('hides content, and a mass restoration of reported content does not restore it', () => {
    const unchanged = decision({ round: 2, moderatorId: null, isAutomated: true, changeBy });
    given(opened, requested, reopened, unchanged)
      .decide(restoreReported, { adminId: 'ada', facts: 'A wave of false reports.' }, NOW)
      .then();
  });

  test('only opens the case of changed content', () => {
    const changed = { ...ending, held: { contentRevision: 4, revision: 5 } };
    given(opened, requested).decide(endChangeRequest, changed, at(changeBy)).then(reopened);
  });

  test('does nothing before the date, during or after a granted appeal, in an open case or without content', () => {
    const isUnchanged = (now: string, ...events: readonly ModerationEvent[]) =>
      given(opened, requested, ...events)
        .decide(endChangeRequest, ending, at(now))
        .then();
    isUnchanged(AT);
    isUnchanged(changeBy, appealed);
    isUnchanged(changeBy, appealed, appealDecided('overturned'));
    isUnchanged(changeBy, { ...reopened });
    given(opened, requested)
      .decide(endChangeRequest, { ...ending, held: null }, at(changeBy))
      .then();
  });
});

describe('a decision as a consequence of another decision', () => {
  const consequence = { ...deciding({ rule: 'under_age' }), ...judged, causedAt: AT };

  test('is made without a claim, and only once', () => {
    given()
      .decide(decideConsequence, consequence, NOW)
      .then(opened, decision({ rule: 'under_age' }));
    given(opened, decision({ rule: 'under_age' }))
      .decide(decideConsequence, consequence, NOW)
      .then();
  });

  test('overrides an earlier decision to leave the content online, but not a later one', () => {
    given(opened, decision({ outcome: 'kept' }))
      .decide(decideConsequence, { ...consequence, causedAt: later(1) }, at(later(1)))
      .then(
        { type: 'CaseOpened', data: { caseId, ...judged, round: 2 } },
        {
          ...decision({ rule: 'under_age', round: 2, openedAt: later(1) }),
        },
      );
    given(opened, decision({ outcome: 'kept' }))
      .decide(decideConsequence, consequence, at(later(1)))
      .then();
  });
});

test('a linked case is claimed and decided in one step, unless another moderator works on it', () => {
  given(opened, added()).decide(decideLinkedCase, deciding(), NOW).then(claimed(), decision());
  given(opened, added(), claimed('max')).decide(decideLinkedCase, deciding(), NOW).thenThrows('CASE_CLAIMED');
  given(opened, added())
    .decide(decideLinkedCase, deciding({ outcome: 'change_requested' }), NOW)
    .thenThrows('WRONG_OUTCOME');
  given(opened, decision(), appealed)
    .decide(decideLinkedCase, deciding({ moderatorId: 'max' }), NOW)
    .thenThrows('APPEAL_PENDING');
});
