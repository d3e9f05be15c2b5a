import { expect, test } from 'vitest';
import type { StatementView } from '@alpenglow/domain/contracts';
import { findHidingDecision } from '../src/pages/hiding-decision.ts';

const decision = (kind: string, id: string, changes: object = {}) =>
  ({
    subject: { kind, id },
    isInForce: true,
    outcome: 'hidden',
    isAutomated: false,
    rule: { id: 'spam' },
    ...changes,
  }) as Pick<StatementView, 'subject' | 'isInForce' | 'outcome' | 'isAutomated' | 'rule'>;

const ofAd = decision('ad', 'a2');
const ofEarlierAd = decision('ad', 'a1');

test('a decision about the ad itself takes precedence over a newer one about an earlier ad or the profile', () => {
  expect(findHidingDecision([ofEarlierAd, decision('account', 'p'), ofAd], 'a2')).toBe(ofAd);
  expect(findHidingDecision([ofEarlierAd], 'a2')).toBe(ofEarlierAd);
});

test('decisions about posts and threads, and those that hide nothing, are no reason', () => {
  const others = [
    decision('post', 'p1'),
    decision('thread', 't1'),
    decision('ad', 'a2', { isInForce: false }),
    decision('ad', 'a2', { outcome: 'kept' }),
    decision('media', 'm1'),
  ];
  expect(findHidingDecision(others, 'a2')).toBeNull();
});

test('a report about the person in a photo is a reason', () => {
  const ofPerson = decision('media', 'm1', { isAutomated: true, rule: { id: 'under_age' } });
  expect(findHidingDecision([ofPerson], 'a2')).toBe(ofPerson);
});
