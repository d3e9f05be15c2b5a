import type { Pool } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { createFailedRequests } from '../src/adapters/postgres/failed-requests.ts';
import { createLogger } from '../src/service/logger.ts';

const request = (status: number) => ({
  requestId: 'a-request',
  method: 'GET',
  path: '/api/ads',
  status,
  code: 'INTERNAL',
  cause: null,
  duration_ms: 1,
});

/** Creates the record with a database that stores the written statuses, and with a clock that the test sets. */
function createRecord({
  isAway = (): boolean => false,
  outage = (): Error => Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }),
} = {}) {
  vi.useFakeTimers();
  const written: number[] = [];
  const causes: (string | null)[] = [];
  const clock = { now_ms: 0 };
  const pool = {
    query({ values }: { readonly values: readonly (readonly unknown[])[] }) {
      if (isAway()) return Promise.reject(outage());
      causes.push(...(values[7] as readonly (string | null)[]));
      written.push(...(values[5] as readonly number[]));
      return Promise.resolve();
    },
  } as unknown as Pool;
  const options = { pool, service: 'test', log: createLogger('silent'), now_ms: () => clock.now_ms };
  return { record: createFailedRequests(options), written, causes, clock };
}
afterEach(() => vi.useRealTimers());

test('a flood of client errors neither becomes a flood of writes nor displaces server errors', async () => {
  const { record, written, clock } = createRecord();
  for (let i = 0; i < 10_000; i++) record.record(request(404));
  for (let i = 0; i < 50; i++) record.record(request(500));
  await record.stop();
  expect(written.filter((status) => status === 404)).toHaveLength(100);
  expect(written.filter((status) => status === 500)).toHaveLength(50);
  clock.now_ms = 5_000;
  for (let i = 0; i < 100; i++) record.record(request(404));
  await record.stop();
  expect(written.filter((status) => status === 404)).toHaveLength(110);
});

test('requests are written when the database can be reached again', async () => {
  let isAway = true;
  const { record, written } = createRecord({ isAway: () => isAway });
  record.record(request(503));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(written).toEqual([]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([503]);
  await record.stop();
  expect(written).toEqual([503]);
});

test('reports of pages do not displace errors', async () => {
  const { record, written } = createRecord();
  for (let i = 0; i < 1_000; i++) record.record(request(204));
  record.record(request(404));
  await record.stop();
  expect(written.filter((status) => status === 204)).toHaveLength(50);
  expect(written).toContain(404);
});

test('requests that cannot be stored do not block the following ones', async () => {
  let isInvalid = true;
  const { record, written, causes } = createRecord({ isAway: () => isInvalid, outage: () => new Error('invalid row') });
  record.record(request(500));
  await vi.advanceTimersByTimeAsync(1_000);
  isInvalid = false;
  record.record({ ...request(503), cause: `a\0${'b'.repeat(1_000)}` });
  await record.stop();
  expect(written).toEqual([503]);
  expect(causes).toEqual([`a${'b'.repeat(299)}`]);
});
