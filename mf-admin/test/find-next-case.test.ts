import { expect, test } from 'vitest';
import type { CaseCard } from '@alpenglow/domain/contracts';
import { findNextCase } from '../src/moderation/find-next-case.ts';

type Case = Pick<CaseCard, 'id' | 'claim' | 'canClaim'>;
const claimedBy = (isMine: boolean): Case['claim'] => ({
  by: { id: isMine ? 'moderator' : 'other', name: null },
  until: '2026-11-29T12:00:00.000Z',
  isMine,
});
const open = (id: string, changes: Partial<Case> = {}): Case => ({ id, claim: null, canClaim: true, ...changes });
const [a, b, c] = [open('a'), open('b'), open('c')];
const next = (cases: readonly Case[], id: string | null) => findNextCase(cases, id)?.id;

test('the next case follows the current one, and the first case follows the last one', () => {
  expect(next([a, b, c], 'a')).toBe('b');
  expect(next([a, b, c], 'b')).toBe('c');
  expect(next([a, b, c], 'c')).toBe('a');
});

test('without a current case in the list, the first case is the next one', () => {
  expect(next([a, b, c], null)).toBe('a');
  expect(next([b, c], 'a')).toBe('b');
});

test('the next case is neither claimed by another moderator nor about content or a decision of the moderator', () => {
  const claimed = open('claimed', { claim: claimedBy(false), canClaim: false });
  const own = open('own', { canClaim: false });
  expect(next([a, claimed, own, b], 'a')).toBe('b');
  expect(next([a, open('mine', { claim: claimedBy(true), canClaim: false })], 'a')).toBe('mine');
  expect(next([a, claimed], 'a')).toBeUndefined();
  expect(next([a], 'a')).toBeUndefined();
  expect(next([], 'a')).toBeUndefined();
});
