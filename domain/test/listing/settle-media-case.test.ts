import { describe, expect, test } from 'vitest';
import type { AccountState } from '../../src/account/state.ts';
import type { ListingEvent } from '../../src/listing/events.ts';
import { listing } from '../../src/listing/state.ts';
import type { ModerationCase } from '../../src/moderation/state.ts';
import { toCaseId } from '../../src/moderation/subject.ts';
import { settlementOf } from '../../src/processes/settle-case.ts';
import { CONTEXT, givenAggregate, type Dated } from '../given.ts';
import { adPosted } from './posted-ad.ts';

const given = givenAggregate(listing);
const subject = { kind: 'media', id: 'photo' } as const;
const caseId = toCaseId(subject);
const OWNER = { accountId: 'anna', registeredAt: '2026-01-01T00:00:00.000Z' } as AccountState;
const DECISION = {
  at: '2026-01-01T12:00:00.000Z',
  outcome: 'hidden',
  rule: 'under_age',
  isAutomated: true,
  hidingRuleId: null,
} as NonNullable<ModerationCase['decision']>;
const decided = (decision: Partial<NonNullable<ModerationCase['decision']>>) =>
  ({
    caseId,
    subject,
    ownerId: 'anna',
    isHidingSubject: true,
    decision: { ...DECISION, ...decision },
  }) as ModerationCase;
/** An automated decision at noon that hides a photo, because a report says that the person may be under 18. */
const REPORTED = decided({});
const at = (time: string, event: ListingEvent) => ({ at: `2026-01-01T${time}:00.000Z`, event });
const ad = (adId: string, photos: readonly string[]) => adPosted({ adId, photos: [...photos] });
const update = (adId: string, photos: readonly string[]): ListingEvent => ({
  type: 'AdUpdated',
  data: { accountId: 'anna', adId, photos: [...photos] },
});
const remove = (adId: string): ListingEvent => ({ type: 'AdDeleted', data: { accountId: 'anna', adId, reason: null } });

/** Returns the events with which the decision of a case changes the ads of the owner. */
function eventsAfter(state: ModerationCase, ...events: readonly Dated<ListingEvent>[]): readonly ListingEvent[] {
  return settlementOf(state, OWNER)?.decide(given(...events).state as never, CONTEXT) as readonly ListingEvent[];
}

/** Returns the ids of the ads that the late job of the decision hides. */
function settle(...events: readonly Dated<ListingEvent>[]): readonly string[] {
  return eventsAfter(REPORTED, ...events).flatMap(({ type, data }) => (type === 'AdHidden' ? [data.adId] : []));
}

describe('a late decision about a reported photo of a person', () => {
  test('hides an ad that showed the photo at the time of the decision', () => {
    expect(settle(at('11:00', ad('a1', ['photo'])))).toEqual(['a1']);
    expect(settle(at('11:00', ad('a1', ['photo'])), at('12:10', update('a1', ['photo', 'other'])))).toEqual(['a1']);
  });

  test('hides the next ad with the photo if the ad that showed it was deleted meanwhile', () => {
    expect(
      settle(at('11:00', ad('a1', ['photo'])), at('12:10', remove('a1')), at('12:20', ad('a2', ['photo']))),
    ).toEqual(['a2']);
  });

  test('does not hide an ad that shows the photo only later', () => {
    expect(settle(at('12:10', ad('a1', ['photo'])))).toEqual([]);
    expect(settle(at('11:00', ad('a1', ['other'])), at('12:10', update('a1', ['photo'])))).toEqual([]);
  });

  test('does not hide an ad that showed the photo only earlier, and again later', () => {
    const history = [
      at('10:00', ad('a1', ['photo'])),
      at('11:00', remove('a1')),
      at('12:10', ad('a2', ['photo'])),
    ] as const;
    expect(settle(...history)).toEqual([]);
  });

  test('does not hide an ad that no longer shows the photo', () => {
    expect(settle(at('11:00', ad('a1', ['photo'])), at('12:10', update('a1', ['other'])))).toEqual([]);
  });
});

describe('a decision about a photo', () => {
  const posted = at('11:00', ad('a1', ['photo', 'other']));
  const hidden = at('11:30', { type: 'AdHidden', data: { accountId: 'anna', adId: 'a1', by: 'report', caseId } });

  test.each(['hidden', 'removed'] as const)('of a moderator leaves the ad online without it: %s', (outcome) => {
    const state = decided({ outcome, isAutomated: false });
    expect(eventsAfter(state, posted)).toEqual([]);
    expect(eventsAfter(state, posted, hidden)).toEqual([
      { type: 'AdRestored', data: { accountId: 'anna', adId: 'a1', caseId } },
    ]);
  });

  test.each([
    ['under_age', ['AdHidden']],
    ['forced', ['AdHidden']],
    ['consent', []],
  ] as const)('by a report with the rule %s is about the person only if the rule is', (rule, types) => {
    expect(eventsAfter(decided({ rule }), posted).map(({ type }) => type)).toEqual(types);
  });

  test('that closes the account keeps the ad hidden until the account is closed', () => {
    expect(eventsAfter(decided({ outcome: 'account_closed', isAutomated: false }), posted, hidden)).toEqual([]);
  });
});
