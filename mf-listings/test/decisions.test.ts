import { expect, test } from 'vitest';
import type { StatementView } from '@alpenglow/domain/contracts';
import { isChangeRequested, hasEffect } from '../src/decisions/effects.ts';

const request = {
  subject: { kind: 'ad', id: 'a1' },
  path: '/escorts/nv/las-vegas/an-evening/a1',
  isInForce: true,
  outcome: 'change_requested',
  isAutomated: false,
  isChanged: false,
  changeBy: '2026-12-06T10:00:00.000Z',
} satisfies Partial<StatementView>;

test('a decision in force says what it means, and a requested change has an instruction', () => {
  expect(hasEffect(request)).toBe(true);
  expect(isChangeRequested(request)).toBe(true);
  expect(isChangeRequested({ ...request, changeBy: null })).toBe(false);
});

test('a reversed or replaced decision, and one about a deleted ad, has no instruction', () => {
  for (const over of [
    { ...request, isInForce: false },
    { ...request, path: null },
  ]) {
    expect(hasEffect(over)).toBe(false);
    expect(isChangeRequested(over)).toBe(false);
  }
});

test('a changed ad has no instruction, and a decision about a thread needs no page', () => {
  expect(isChangeRequested({ ...request, isChanged: true })).toBe(false);
  expect(hasEffect({ ...request, subject: { kind: 'thread', id: 't1' }, path: null })).toBe(true);
  // The decision has deleted the ad together with the account.
  expect(hasEffect({ ...request, outcome: 'account_closed', path: null })).toBe(true);
});
