import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { erasures as projection } from '../src/projections/erasures.ts';
import type { Projection } from '../src/projection.ts';
import { AT, project } from './given.ts';
import { SAMPLES } from './samples.ts';

const erasures = projection as unknown as Projection;
const receiptId = 'receipt-1';
const done = (step: 'keys_retired' | 'account_closed'): DomainEvent => ({
  type: 'ErasureStepDone',
  data: { accountId: 'anna', receiptId, step },
});

describe('erasures', () => {
  test('ErasureRequested begins a receipt', () => {
    expect(project(erasures, SAMPLES.ErasureRequested)[receiptId]).toMatchObject({
      account_id: 'anna',
      requested_by: 'admin',
      requested_at: AT,
      done: [],
      completed_at: null,
    });
  });
  test('ErasureStepDone adds what was done, and when', () => {
    expect(
      project(erasures, SAMPLES.ErasureRequested, done('keys_retired'), done('account_closed'))[receiptId],
    ).toMatchObject({
      done: [
        { step: 'keys_retired', at: '2026-01-01T12:01:00.000Z' },
        { step: 'account_closed', at: '2026-01-01T12:02:00.000Z' },
      ],
    });
  });
  test('ErasureCompleted says when it was over', () => {
    expect(project(erasures, SAMPLES.ErasureRequested, SAMPLES.ErasureCompleted)[receiptId]).toMatchObject({
      completed_at: '2026-01-01T12:01:00.000Z',
    });
  });
});
