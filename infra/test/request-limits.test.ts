import { EventEmitter } from 'node:events';
import { matchRequest } from '@alpenglow/domain/api';
import type { Request, Response } from 'express';
import { describe, expect, test, vi } from 'vitest';
import { createMemoryCounters } from '../src/adapters/requests/memory-counters.ts';
import { withFallback } from '../src/adapters/requests/shared-counters.ts';
import { SITE_FACTOR } from '../src/http/client-address.ts';
import { limitOpenBodies } from '../src/http/open-bodies.ts';
import { findLimits, READ_LIMIT } from '../src/http/rate-limit-rules.ts';
import { createReadGuard } from '../src/http/request-guards.ts';
import { computeDelay } from '../src/http/login-delay.ts';
import { createLogger } from '../src/service/logger.ts';

const namesOf = (method: string, path: string) =>
  findLimits(matchRequest(method, path), method, path).map(({ name }) => name);

test('the read limit applies to public files outside the API, for each network separately', () => {
  const guard = createReadGuard({ counters: createMemoryCounters() });
  const read = (ip: string) => {
    let isPassed = false;
    guard({ ip } as Request, {} as Response, () => (isPassed = true));
    return isPassed;
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let count = 0; count < READ_LIMIT.max; count += 1) expect(read('192.0.2.1')).toBe(true);
  expect(() => read('192.0.2.1')).toThrow('Too many');
  expect(read('192.0.2.2')).toBe(true);
  vi.advanceTimersByTime(READ_LIMIT.window_s * 1000);
  expect(read('192.0.2.1')).toBe(true);
  vi.useRealTimers();
});

describe('the limit on open request bodies', () => {
  const MAX = 3;
  const open = (guard: ReturnType<typeof limitOpenBodies>, ip: string) => {
    const res = Object.assign(new EventEmitter(), { setHeader: () => undefined });
    let error: unknown = 'not called';
    const req = { ip, headers: { 'content-length': '9' }, complete: false };
    guard(req as unknown as Request, res as unknown as Response, (failed: unknown) => {
      error = failed;
    });
    return { isAccepted: error === undefined, close: () => res.emit('close') };
  };

  test('counts a /48 network of IPv6 with four times the limit', () => {
    const guard = limitOpenBodies(MAX);
    const opened = Array.from({ length: MAX * SITE_FACTOR }, (_, n) => open(guard, `2001:db8:1:${n}::1`));
    expect(opened.every(({ isAccepted }) => isAccepted)).toBe(true);
    expect(open(guard, '2001:db8:1:99::1').isAccepted).toBe(false);
    expect(open(guard, '2001:db8:2:99::1').isAccepted).toBe(true);
    opened[0]?.close();
    expect(open(guard, '2001:db8:1:99::1').isAccepted).toBe(true);
    expect(open(guard, '2001:db8:1:98::1').isAccepted).toBe(false);
  });

  test('counts a /64 network as one address', () => {
    const guard = limitOpenBodies(MAX);
    for (let n = 0; n < MAX; n += 1) expect(open(guard, `2001:db8:1:1::${n}`).isAccepted).toBe(true);
    expect(open(guard, '2001:db8:1:1::99').isAccepted).toBe(false);
  });
});

describe('the limits of a request', () => {
  test.each([
    ['POST', '/auth/login', ['login', 'writes']],
    ['POST', '/AUTH/Login/', ['login', 'writes']],
    ['POST', '/auth/signup', ['sign-up', 'sign-up-mails', 'writes']],
    ['POST', '/auth/verify-email', ['codes', 'code-guesses', 'writes']],
    ['POST', '/auth/reset-password', ['codes', 'code-guesses', 'writes']],
    ['POST', '/auth/resend-verification', ['codes', 'code-mails', 'writes']],
    ['POST', '/auth/forgot-password', ['codes', 'code-mails', 'writes']],
    ['POST', '/auth/change-password', ['password-change', 'writes']],
    ['POST', '/sync/force', ['sync', 'writes']],
    ['GET', '/sync/status', ['sync-status']],
    ['GET', '/ads/a1', ['ad-details']],
    ['HEAD', '/ads/a1', ['ad-details']],
    ['POST', '/ads/a1/contact', ['contact-details', 'contact-details-of-account', 'writes']],
    ['POST', '/uploads/photos', ['uploads', 'uploads-of-network', 'writes']],
    ['POST', '/uploads/video', ['videos', 'videos-of-network', 'uploads', 'uploads-of-network', 'writes']],
    ['POST', '/UPLOADS/Video/', ['videos', 'videos-of-network', 'uploads', 'uploads-of-network', 'writes']],
    ['POST', '/uploads/resumable/photos', ['uploads', 'uploads-of-network', 'writes']],
    ['POST', '/uploads/resumable/video', ['videos', 'videos-of-network', 'uploads', 'uploads-of-network', 'writes']],
    ['PATCH', '/uploads/resumable/u1', ['writes']],
    ['HEAD', '/uploads/resumable/u1', []],
    ['POST', '/ads/a1/reviews', ['reviews', 'writes']],
    ['POST', '/community/threads', ['posts', 'writes']],
    ['POST', '/Community/Threads/t1/Replies/', ['posts', 'writes']],
    ['POST', '/community/threads/t1/posts/0/helpful', ['marks', 'writes']],
    ['DELETE', '/Community/Threads/t1/Follow/', ['marks', 'writes']],
    ['PUT', '/community/threads/t1/posts/0', ['edits', 'writes']],
    ['DELETE', '/community/threads/t1/posts/0', ['writes']],
    ['POST', '/community/preview', ['previews', 'writes']],
    ['POST', '/reports', ['reports', 'reports-of-day', 'writes']],
    ['DELETE', '/ads/a1', ['writes']],
    ['GET', '/admin/users', ['admin']],
    ['PUT', '/admin/users/u1/verify', ['admin']],
  ])('%s %s: %j', (method, path, names) => {
    expect(namesOf(method, path)).toEqual(names);
  });
  test.each([
    '/ads',
    '/ads/',
    '/ads/featured',
    '/ads/counts',
    '/ads/user',
    '/ads/location/NV/Reno',
    '/health',
    '/docs',
    '/auth/profile',
    '/uploads/photos/m1/320.webp',
    '/community/threads',
    '/community/threads/t1',
  ])('no shared limit: GET %s', (path) => {
    expect(namesOf('GET', path)).toEqual([]);
  });
});

test('a login waits after the fifth failure, twice as long each time, and never longer than five minutes', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 1000].map((failures) => computeDelay(failures, 5))).toEqual([
    0, 0, 0, 0, 2, 4, 8, 16, 128, 256, 300, 300,
  ]);
});

describe('counts of one process', () => {
  test('start again at 0 when their window has ended', async () => {
    let now = 0;
    const counters = createMemoryCounters(() => now);
    expect(await counters.add('a', 1, 10)).toEqual({ count: 1, left_ms: 10_000 });
    now = 4_000;
    expect(await counters.add('a', 2, 10)).toEqual({ count: 3, left_ms: 6_000 });
    expect(await counters.find('a')).toEqual({ count: 3, left_ms: 6_000 });
    now = 10_000;
    expect(await counters.find('a')).toBeNull();
    expect(await counters.add('a', 1, 10)).toEqual({ count: 1, left_ms: 10_000 });
    await counters.reset('a');
    expect(await counters.find('a')).toBeNull();
  });
});

test('counts per process while the shared counts are unreachable, and logs this once a minute', async () => {
  const log = createLogger('silent');
  const warn = vi.spyOn(log, 'warn');
  const unreachable = () => Promise.reject(new Error('away'));
  const counters = withFallback({ add: unreachable, find: unreachable, reset: unreachable }, log);
  await counters.add('a', 1, 60);
  expect((await counters.add('a', 1, 60)).count).toBe(2);
  expect((await counters.find('a'))?.count).toBe(2);
  await counters.reset('a');
  expect(await counters.find('a')).toBeNull();
  expect(warn).toHaveBeenCalledTimes(1);
});
