import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { erasures as projection } from '../src/projections/erasures.ts';
import type { Projection } from '../src/projection.ts';
import { STARTED_AT, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const erasures = projection as unknown as Projection;
const receiptId = 'receipt-1';
const stepDone = (step: 'keys_retired' | 'account_closed'): DomainEvent => ({
  type: 'ErasureStepDone',
  data: { accountId: 'anna', receiptId, step },
});

describe('erasures', () => {
  test('ErasureRequested creates a receipt', () => {
    expect(project(erasures, SAMPLES.ErasureRequested)[receiptId]).toMatchObject({
      account_id: 'anna',
      requested_by: 'admin',
      requested_at: STARTED_AT,
      done: [],
      completed_at: null,
    });
  });
  test('ErasureStepDone adds the step and its time', () => {
    expect(
      project(erasures, SAMPLES.ErasureRequested, stepDone('keys_retired'), stepDone('account_closed'))[receiptId],
    ).toMatchObject({
      done: [
        { step: 'keys_retired', at: '2026-01-01T12:01:00.000Z' },
        { step: 'account_closed', at: '2026-01-01T12:02:00.000Z' },
      ],
    });
  });
  test('ErasureCompleted sets the time of completion', () => {
    expect(project(erasures, SAMPLES.ErasureRequested, SAMPLES.ErasureCompleted)[receiptId]).toMatchObject({
      completed_at: '2026-01-01T12:01:00.000Z',
    });
  });
});
