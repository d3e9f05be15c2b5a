import { expect, test } from 'vitest';
import type { Projection, Row } from '../src/projection.ts';
import { removalRequests } from '../src/projections/removal-requests.ts';
import { minutesLater, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const projection = removalRequests as unknown as Projection;
const rowAfter = (...events: Parameters<typeof project>[1][]): Row =>
  Object.values(project(projection, SAMPLES.RemovalRequested, ...events))[0] as Row;

const DAY_ms = 24 * 60 * 60_000;
const daysAfter = (at: string, days: number) => new Date(Date.parse(at) + days * DAY_ms).toISOString();

test('RemovalRequested waits until its deadline, which counts from the request', () => {
  expect(rowAfter()).toMatchObject({
    status: 'open',
    requested_at: '2026-11-30T10:00:00.000Z',
    waits_since: '2026-11-30T10:00:00.000Z',
    deadline: '2026-12-02T10:00:00.000Z',
    content_count: 1,
    warned_h: 0,
    erase_at: null,
  });
});

test('RemovalWarned records the warning', () => {
  expect(rowAfter(SAMPLES.RemovalWarned)).toMatchObject({ warned_h: 24, status: 'open' });
});

test('a valid request waits until RemovalCompleted', () => {
  expect(rowAfter(SAMPLES.RemovalWarned, SAMPLES.RemovalDecided)).toMatchObject({
    status: 'valid',
    waits_since: '2026-11-30T10:00:00.000Z',
    deadline: '2026-12-02T10:00:00.000Z',
    warned_h: 24,
    closed_at: null,
    erase_at: null,
  });
  expect(rowAfter(SAMPLES.RemovalDecided, SAMPLES.RemovalCompleted)).toMatchObject({
    status: 'completed',
    deadline: null,
    closed_at: minutesLater(2),
    erase_at: daysAfter(minutesLater(2), 365),
  });
});

test('RemovalWithdrawn shortens the storage of personal data, and RemovalDataErased ends it', () => {
  expect(rowAfter(SAMPLES.RemovalWithdrawn)).toMatchObject({
    status: 'withdrawn',
    deadline: null,
    erase_at: daysAfter(minutesLater(1), 30),
  });
  expect(rowAfter(SAMPLES.RemovalWithdrawn, SAMPLES.RemovalDataErased)).toMatchObject({ erase_at: null });
});

test('RemovalAppealed waits again, and RemovalAppealDecided ends this', () => {
  const rejected = {
    ...SAMPLES.RemovalDecided,
    data: { ...SAMPLES.RemovalDecided.data, outcome: 'rejected' as const },
  };
  expect(rowAfter(rejected, SAMPLES.RemovalAppealed)).toMatchObject({
    status: 'appealed',
    waits_since: minutesLater(2),
    deadline: daysAfter(minutesLater(2), 2),
    erase_at: null,
  });
  expect(rowAfter(rejected, SAMPLES.RemovalAppealed, SAMPLES.RemovalAppealDecided)).toMatchObject({
    status: 'valid',
    deadline: daysAfter(minutesLater(2), 2),
  });
});
