import { describe, expect, test } from 'vitest';
import {
  changeHidingRule,
  discardHidingRule,
  draftHidingRule,
  switchHidingRuleOff,
  switchHidingRuleOn,
} from '../../src/deciders.ts';
import {
  containsPhrase,
  hidingRule,
  hidingRuleFields,
  findRuleTrialHits,
  EMPTY_OPTIONAL_FIELDS,
  type HidingRuleEvent,
  type HidingRuleFields,
  type HidingRuleState,
  type ListingEvent,
  type Position,
  type RecordedDomainEvent,
  type RuleConditions,
  type AccountAdHistory,
  toStreamId,
  toCaseId,
  listing,
} from '../../src/index.ts';
import { CONTEXT } from '../given.ts';

const AT = '2026-03-01T12:00:00.000Z';
const FIELDS: HidingRuleFields = {
  title: 'Copied words',
  category: null,
  phrases: ['copied'],
  youngerThanDays: null,
  minReports: null,
  rule: 'spam',
  facts: 'Copied from elsewhere.',
};
const drafted: HidingRuleEvent = { type: 'HidingRuleDrafted', data: { ruleId: 'r', ...FIELDS, phrases: ['copied'] } };
const on: HidingRuleEvent = { type: 'HidingRuleSwitchedOn', data: { ruleId: 'r' } };
const after = (...events: readonly HidingRuleEvent[]): HidingRuleState =>
  events.reduce((state: HidingRuleState, event) => hidingRule.evolve(state, event, AT), hidingRule.initial);

describe('the decider of hiding rules', () => {
  test('creates a draft once', () => {
    expect(draftHidingRule({ ruleId: 'r', fields: FIELDS }, null, CONTEXT)).toEqual([drafted]);
    expect(after(drafted)).toMatchObject({ status: 'draft', title: 'Copied words' });
    expect(draftHidingRule({ ruleId: 'r', fields: FIELDS }, after(drafted), CONTEXT)).toEqual([]);
  });

  test('only allows to switch off a rule that is on', () => {
    const state = after(drafted, on);
    expect(switchHidingRuleOn({}, after(drafted), CONTEXT)).toEqual([on]);
    expect(switchHidingRuleOn({}, state, CONTEXT)).toEqual([]);
    expect(() => changeHidingRule({ fields: { ...FIELDS, title: 'Other' } }, state, CONTEXT)).toThrow(
      expect.objectContaining({ code: 'HIDING_RULE_ON' }),
    );
    expect(() => discardHidingRule({}, state, CONTEXT)).toThrow(expect.objectContaining({ code: 'HIDING_RULE_ON' }));
    const [off] = switchHidingRuleOff({}, state, CONTEXT);
    expect(off).toEqual({ type: 'HidingRuleSwitchedOff', data: { ruleId: 'r' } });
    expect(switchHidingRuleOff({}, after(drafted), CONTEXT)).toEqual([]);
  });

  test('records no event without a change, and rejects commands for a discarded rule', () => {
    expect(changeHidingRule({ fields: FIELDS }, after(drafted), CONTEXT)).toEqual([]);
    const [changed] = changeHidingRule(
      { fields: { ...FIELDS, phrases: ['copied', 'pasted'] } },
      after(drafted),
      CONTEXT,
    );
    expect(after(drafted, changed as HidingRuleEvent)).toMatchObject({
      phrases: ['copied', 'pasted'],
      status: 'draft',
    });
    const gone = after(drafted, ...discardHidingRule({}, after(drafted), CONTEXT));
    for (const decide of [switchHidingRuleOn, switchHidingRuleOff, discardHidingRule])
      expect(() => decide({}, gone, CONTEXT)).toThrow(expect.objectContaining({ code: 'HIDING_RULE_NOT_FOUND' }));
    expect(() => changeHidingRule({ fields: FIELDS }, null, CONTEXT)).toThrow(
      expect.objectContaining({ code: 'HIDING_RULE_NOT_FOUND' }),
    );
  });

  test('requires a condition, and letters or digits in phrases', () => {
    const { title, rule, facts } = FIELDS;
    expect(hidingRuleFields.safeParse({ title, rule, facts }).success).toBe(false);
    expect(hidingRuleFields.safeParse({ title, rule, facts, phrases: ['—'] }).success).toBe(false);
    expect(hidingRuleFields.parse({ title, rule, facts, minReports: 3 })).toMatchObject({
      category: null,
      phrases: [],
      minReports: 3,
    });
  });
});

test('a phrase matches whole words, regardless of case, accents and punctuation', () => {
  expect(containsPhrase(['hot stone'], ['A HOT-stone afternoon'])).toBe(true);
  expect(containsPhrase(['cafe'], ['Im Café'])).toBe(true);
  expect(containsPhrase(['hot'], ['A hotel'])).toBe(false);
  expect(containsPhrase(['hot stone'], ['A hot', 'stone'])).toBe(false);
  expect(containsPhrase(['555 0101'], ['+1 (200) 555-0101'])).toBe(true);
});

const NONE: RuleConditions = { category: null, phrases: [], youngerThanDays: null, minReports: null };
const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const ids = { accountId: 'anna', adId: 'a1' };
const OWNER = { name: 'Anna', state: 'NV', city: 'Reno' };
const AD = {
  ...ids,
  clientId: null,
  name: 'Anna',
  title: 'Calm',
  category: 'escort',
  state: 'NV',
  city: 'Reno',
  description: 'Copied words.',
  ...EMPTY_OPTIONAL_FIELDS,
  photos: ['m1'],
  video: null,
  isDemo: false,
} as const;
const at = (number: number, event: ListingEvent): RecordedDomainEvent<ListingEvent> => ({
  ...event,
  id: `e${number}`,
  stream: toStreamId(listing, 'anna'),
  revision: number,
  position: String(number) as Position,
  meta: { correlationId: 'c', causationId: null, actor: { kind: 'system', name: 'test' }, at: day(number) },
});
const posted = at(2, { type: 'AdPosted', data: { ...AD, photos: ['m1'] } });
const slot = (
  events: readonly RecordedDomainEvent<ListingEvent>[],
  others: Partial<AccountAdHistory> = {},
): AccountAdHistory => ({
  accountId: 'anna',
  registeredAt: day(1),
  events,
  reports: [],
  confirmations: [],
  ...others,
});

describe('the trial of a rule', () => {
  test('finds an ad at the first moment when all conditions are met, and whether it is still online', () => {
    const edited = at(5, { type: 'AdUpdated', data: { ...ids, ...OWNER, title: 'Hot stone' } });
    const deleted = at(6, { type: 'AdDeleted', data: { ...ids, reason: null } });
    expect(
      findRuleTrialHits({ ...NONE, phrases: ['copied words'], category: 'escort' }, slot([posted, edited])),
    ).toEqual([{ ...ids, ...OWNER, title: 'Calm', at: day(2), because: 'posted', isUp: true }]);
    expect(findRuleTrialHits({ ...NONE, phrases: ['hot stone'] }, slot([posted, edited, deleted]))).toEqual([
      { ...ids, ...OWNER, title: 'Hot stone', at: day(5), because: 'edited', isUp: false },
    ]);
    expect(findRuleTrialHits({ ...NONE, phrases: ['copied words'], category: 'massage' }, slot([posted]))).toEqual([]);
  });

  test('uses the age of the account at that moment', () => {
    const edited = at(20, { type: 'AdUpdated', data: { ...ids, ...OWNER, title: 'Hot stone' } });
    expect(findRuleTrialHits({ ...NONE, youngerThanDays: 7, phrases: ['stone'] }, slot([posted, edited]))).toEqual([]);
    expect(
      findRuleTrialHits({ ...NONE, youngerThanDays: 30, phrases: ['stone'] }, slot([posted, edited])),
    ).toHaveLength(1);
    expect(findRuleTrialHits({ ...NONE, youngerThanDays: 30 }, slot([posted], { registeredAt: null }))).toEqual([]);
  });

  test('counts reports of the ad, its media and the profile together, each from its filing time', () => {
    const reports = [
      { subject: { kind: 'media', id: 'm1' }, at: day(4) },
      { subject: { kind: 'ad', id: 'a1' }, at: day(3) },
      { subject: { kind: 'account', id: 'anna' }, at: day(7) },
      { subject: { kind: 'media', id: 'other' }, at: day(3) },
    ] as const;
    expect(findRuleTrialHits({ ...NONE, minReports: 2 }, slot([posted], { reports }))).toEqual([
      { ...ids, ...OWNER, title: 'Calm', at: day(4), because: 'reported', isUp: true },
    ]);
    expect(findRuleTrialHits({ ...NONE, minReports: 3 }, slot([posted], { reports }))).toMatchObject([{ at: day(7) }]);
    expect(findRuleTrialHits({ ...NONE, minReports: 4 }, slot([posted], { reports }))).toEqual([]);
  });

  test('skips hidden ads, and counts each ad once', () => {
    const hidden = at(3, {
      type: 'AdHidden',
      data: { ...ids, by: 'report', caseId: toCaseId({ kind: 'ad', id: 'a1' }) },
    });
    const edited = at(4, { type: 'AdUpdated', data: { ...ids, ...OWNER, title: 'Hot stone' } });
    expect(findRuleTrialHits({ ...NONE, phrases: ['stone'] }, slot([posted, hidden, edited]))).toEqual([]);
    expect(findRuleTrialHits({ ...NONE, phrases: ['words'] }, slot([posted, edited]))).toHaveLength(1);
  });

  test('skips an ad in the version that a moderator has confirmed', () => {
    const edited = at(4, { type: 'AdUpdated', data: { ...ids, ...OWNER, title: 'Hot stone' } });
    const reports = [{ subject: { kind: 'ad', id: 'a1' }, at: day(6) }] as const;
    const conditions = { ...NONE, phrases: ['stone'], minReports: 1 };
    const hitsAfter = (...confirmations: AccountAdHistory['confirmations']) =>
      findRuleTrialHits(conditions, slot([posted, edited], { reports, confirmations })).length;
    // The edit is the second event of the stream, so it has the revision 1.
    expect([
      hitsAfter(),
      hitsAfter({ adId: 'a1', revision: 1, at: day(5) }),
      hitsAfter({ adId: 'a1', revision: 0, at: day(5) }),
      hitsAfter({ adId: 'a1', revision: 1, at: day(7) }),
      hitsAfter({ adId: 'a2', revision: 1, at: day(5) }),
    ]).toEqual([1, 0, 1, 1, 1]);
  });
});
