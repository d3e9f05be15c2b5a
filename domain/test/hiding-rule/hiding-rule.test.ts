import { describe, expect, test } from 'vitest';
import {
  changeHidingRule,
  discardHidingRule,
  draftHidingRule,
  hasPhrase,
  hidingRule,
  hidingRuleFields,
  switchHidingRuleOff,
  switchHidingRuleOn,
  wouldHide,
  type HidingRuleEvent,
  type HidingRuleFields,
  type HidingRuleState,
  type ListingEvent,
  type Position,
  type Recorded,
  type RuleConditions,
  type SlotHistory,
} from '../../src/index.ts';

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

describe('deciding on hiding rules', () => {
  test('a new one is a draft; the same one twice is one', () => {
    expect(draftHidingRule('r', FIELDS, null)).toEqual([drafted]);
    expect(after(drafted)).toMatchObject({ status: 'draft', title: 'Copied words' });
    expect(draftHidingRule('r', FIELDS, after(drafted))).toEqual([]);
  });

  test('one that is on can be switched off and nothing else', () => {
    const state = after(drafted, on);
    expect(switchHidingRuleOn(after(drafted))).toEqual([on]);
    expect(switchHidingRuleOn(state)).toEqual([]);
    expect(() => changeHidingRule({ ...FIELDS, title: 'Other' }, state)).toThrow(
      expect.objectContaining({ code: 'HIDING_RULE_ON' }),
    );
    expect(() => discardHidingRule(state)).toThrow(expect.objectContaining({ code: 'HIDING_RULE_ON' }));
    const [off] = switchHidingRuleOff(state);
    expect(off).toEqual({ type: 'HidingRuleSwitchedOff', data: { ruleId: 'r' } });
    expect(switchHidingRuleOff(after(drafted))).toEqual([]);
  });

  test('a change that changes nothing is none; a discarded one is gone', () => {
    expect(changeHidingRule(FIELDS, after(drafted))).toEqual([]);
    const [changed] = changeHidingRule({ ...FIELDS, phrases: ['copied', 'pasted'] }, after(drafted));
    expect(after(drafted, changed as HidingRuleEvent)).toMatchObject({
      phrases: ['copied', 'pasted'],
      status: 'draft',
    });
    const gone = after(drafted, ...discardHidingRule(after(drafted)));
    for (const decide of [switchHidingRuleOn, switchHidingRuleOff, discardHidingRule])
      expect(() => decide(gone)).toThrow(expect.objectContaining({ code: 'HIDING_RULE_NOT_FOUND' }));
    expect(() => changeHidingRule(FIELDS, null)).toThrow(expect.objectContaining({ code: 'HIDING_RULE_NOT_FOUND' }));
  });

  test('a rule needs a condition, and phrases need letters or digits', () => {
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

test('a phrase is found in whole words, whatever their case, accents and signs between them', () => {
  expect(hasPhrase(['hot stone'], ['A HOT-stone afternoon'])).toBe(true);
  expect(hasPhrase(['cafe'], ['Im Café'])).toBe(true);
  expect(hasPhrase(['hot'], ['A hotel'])).toBe(false);
  expect(hasPhrase(['hot stone'], ['A hot', 'stone'])).toBe(false);
  expect(hasPhrase(['555 0101'], ['+1 (200) 555-0101'])).toBe(true);
});

const NONE: RuleConditions = { category: null, phrases: [], youngerThanDays: null, minReports: null };
const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const ids = { accountId: 'anna', adId: 'a1' };
const AD = {
  ...ids,
  clientId: null,
  name: 'Anna',
  title: 'Calm',
  category: 'escort',
  state: 'NV',
  city: 'Reno',
  description: 'Copied words.',
  price: null,
  body: null,
  phone: null,
  socialMedia: null,
  photos: ['m1'],
  video: null,
  isDemo: false,
} as const;
const at = (number: number, event: ListingEvent): Recorded<ListingEvent> => ({
  ...event,
  id: `e${number}`,
  stream: 'listing-anna',
  revision: number,
  position: String(number) as Position,
  meta: { correlationId: 'c', causationId: null, actor: { kind: 'system', name: 'test' }, at: day(number) },
});
const posted = at(2, { type: 'AdPosted', data: { ...AD, photos: ['m1'] } });
const slot = (events: readonly Recorded<ListingEvent>[], others: Partial<SlotHistory> = {}): SlotHistory => ({
  accountId: 'anna',
  registeredAt: day(1),
  events,
  reports: [],
  ...others,
});

describe('what a rule would have hidden', () => {
  test('an ad at the first moment all conditions hold, and whether it is still up', () => {
    const edited = at(5, { type: 'AdUpdated', data: { ...ids, title: 'Hot stone' } });
    const deleted = at(6, { type: 'AdDeleted', data: { ...ids, reason: null } });
    expect(wouldHide({ ...NONE, phrases: ['copied words'], category: 'escort' }, slot([posted, edited]))).toEqual([
      { ...ids, title: 'Calm', at: day(2), because: 'posted', isUp: true },
    ]);
    expect(wouldHide({ ...NONE, phrases: ['hot stone'] }, slot([posted, edited, deleted]))).toEqual([
      { ...ids, title: 'Hot stone', at: day(5), because: 'edited', isUp: false },
    ]);
    expect(wouldHide({ ...NONE, phrases: ['copied words'], category: 'massage' }, slot([posted]))).toEqual([]);
  });

  test('the age of an account is that of the moment', () => {
    const edited = at(20, { type: 'AdUpdated', data: { ...ids, title: 'Hot stone' } });
    expect(wouldHide({ ...NONE, youngerThanDays: 7, phrases: ['stone'] }, slot([posted, edited]))).toEqual([]);
    expect(wouldHide({ ...NONE, youngerThanDays: 30, phrases: ['stone'] }, slot([posted, edited]))).toHaveLength(1);
    expect(wouldHide({ ...NONE, youngerThanDays: 30 }, slot([posted], { registeredAt: null }))).toEqual([]);
  });

  test('reports of the ad, of what it shows and of the profile count together, each from when it was filed', () => {
    const reports = [
      { subject: { kind: 'media', id: 'm1' }, at: day(4) },
      { subject: { kind: 'ad', id: 'a1' }, at: day(3) },
      { subject: { kind: 'account', id: 'anna' }, at: day(7) },
      { subject: { kind: 'media', id: 'other' }, at: day(3) },
    ] as const;
    expect(wouldHide({ ...NONE, minReports: 2 }, slot([posted], { reports }))).toEqual([
      { ...ids, title: 'Calm', at: day(4), because: 'reported', isUp: true },
    ]);
    expect(wouldHide({ ...NONE, minReports: 3 }, slot([posted], { reports }))).toMatchObject([{ at: day(7) }]);
    expect(wouldHide({ ...NONE, minReports: 4 }, slot([posted], { reports }))).toEqual([]);
  });

  test('what is hidden already is left alone; each ad counts once', () => {
    const hidden = at(3, { type: 'AdHidden', data: { ...ids, by: 'report', caseId: 'ad-a1' } });
    const edited = at(4, { type: 'AdUpdated', data: { ...ids, title: 'Hot stone' } });
    expect(wouldHide({ ...NONE, phrases: ['stone'] }, slot([posted, hidden, edited]))).toEqual([]);
    expect(wouldHide({ ...NONE, phrases: ['words'] }, slot([posted, edited]))).toHaveLength(1);
  });
});
