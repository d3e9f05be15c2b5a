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
/** A decision at noon that hides a photo. */
const DECIDED = {
  caseId,
  subject,
  ownerId: 'anna',
  isHidingSubject: true,
  decision: { at: '2026-01-01T12:00:00.000Z', outcome: 'hidden', isAutomated: true, hidingRuleId: null },
} as ModerationCase;
const at = (time: string, event: ListingEvent) => ({ at: `2026-01-01T${time}:00.000Z`, event });
const ad = (adId: string, photos: readonly string[]) => adPosted({ adId, photos: [...photos] });
const update = (adId: string, photos: readonly string[]): ListingEvent => ({
  type: 'AdUpdated',
  data: { accountId: 'anna', adId, photos: [...photos] },
});
const remove = (adId: string): ListingEvent => ({ type: 'AdDeleted', data: { accountId: 'anna', adId, reason: null } });

/** Returns the ids of the ads that the late job of the decision hides. */
function settle(...events: readonly Dated<ListingEvent>[]): readonly string[] {
  const command = settlementOf(DECIDED, OWNER);
  const decided = command?.decide(given(...events).state as never, CONTEXT) as readonly ListingEvent[];
  return decided.flatMap(({ type, data }) => (type === 'AdHidden' ? [data.adId] : []));
}

describe('a late decision about a photo', () => {
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
