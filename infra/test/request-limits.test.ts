import { EventEmitter } from 'node:events';
import { matchRequest } from '@alpenglow/domain/api';
import type { Request, Response } from 'express';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Counters } from '../src/adapters/requests/counters.ts';
import { withLastKnownCounts, type CountStore } from '../src/adapters/requests/last-known-counts.ts';
import { SITE_FACTOR } from '../src/http/client-address.ts';
import { limitOpenBodies } from '../src/http/open-bodies.ts';
import { findLimits, READ_LIMIT } from '../src/http/rate-limit-rules.ts';
import { createReadGuard } from '../src/http/request-guards.ts';
import { computeDelay } from '../src/http/login-delay.ts';
import { createLogger } from '../src/service/logger.ts';

const namesOf = (method: string, path: string) =>
  findLimits(matchRequest(method, path), method, path).map(({ name }) => name);

test('the read limit applies to public files outside the API, for each network separately', () => {
  const guard = createReadGuard({ counters: {} as Counters });
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
    ['POST', '/ads/preview', ['previews', 'writes']],
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

describe('while the shared counts cannot be reached', () => {
  const log = createLogger('silent');
  let now = 0;
  let isReachable = true;
  const stored = new Map<string, { count: number; ends_ms: number }>();
  /** The counts of another server, which the test disconnects. */
  const store: CountStore = {
    add: (key, by, window_s) =>
      reach(() => {
        const old = stored.get(key);
        const count = old && old.ends_ms > now ? old : { count: 0, ends_ms: now + window_s * 1000 };
        stored.set(key, { ...count, count: count.count + by });
        return { count: count.count + by, left_ms: count.ends_ms - now };
      }),
    find: (key) =>
      reach(() => {
        const count = stored.get(key);
        return count && count.ends_ms > now ? { count: count.count, left_ms: count.ends_ms - now } : null;
      }),
    reset: (key) => reach(() => void stored.delete(key)),
  };
  const reach = async <T>(work: () => T): Promise<T> => {
    if (!isReachable) throw new Error('away');
    return work();
  };
  const open = () => withLastKnownCounts(store, { log, responseLimit_ms: 1_000, now: () => now });
  beforeEach(() => {
    isReachable = true;
    now = 0;
    stored.clear();
  });

  test('a process continues with its last count until the window ends', async () => {
    const counters = open();
    await counters.add('a', 30, 60);
    isReachable = false;
    now = 20_000;
    expect(await counters.add('a', 1, 60)).toEqual({ count: 31, left_ms: 40_000 });
    expect(await counters.find('a')).toEqual({ count: 31, left_ms: 40_000 });
    now = 60_000;
    expect(await counters.find('a')).toBeNull();
    expect(await counters.add('a', 1, 60)).toEqual({ count: 1, left_ms: 60_000 });
    await counters.reset('a');
    expect(await counters.find('a')).toBeNull();
  });

  test('the requests of this time are added to the shared counts afterwards', async () => {
    const [one, other] = [open(), open()];
    await one.add('a', 1, 60);
    isReachable = false;
    await Promise.all([one.add('a', 1, 60), one.add('a', 2, 60), other.add('a', 10, 60)]);
    isReachable = true;
    expect((await one.add('a', 1, 60)).count).toBe(5);
    expect((await other.add('a', 1, 60)).count).toBe(16);
    expect((await one.add('a', 1, 60)).count).toBe(17);
  });

  test('an unknown count starts at 0, or the request is rejected', async () => {
    const counters = open();
    isReachable = false;
    await expect(counters.add('a', 1, 60, 'reject')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter_s: 2 });
    await expect(counters.find('a', 'reject')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await counters.add('a', 1, 60)).count).toBe(1);
    expect((await counters.add('a', 1, 60, 'reject')).count).toBe(2);
  });

  test('only the first request counts while the count is unknown', async () => {
    const counters = open();
    isReachable = false;
    expect((await counters.add('a', 1, 60, 'only-first')).count).toBe(1);
    await expect(counters.add('a', 1, 60, 'only-first')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    // A repeated request adds nothing.
    expect((await counters.add('a', 0, 60, 'only-first')).count).toBe(1);
    isReachable = true;
    expect((await counters.add('a', 1, 60, 'only-first')).count).toBe(2);
    isReachable = false;
    expect((await counters.add('a', 1, 60, 'only-first')).count).toBe(3);
  });

  test('requests that the store counts after the time limit are not added twice', async () => {
    let respond: (count: { count: number; left_ms: number }) => void = () => undefined;
    const slow: CountStore = {
      ...store,
      add: () => new Promise((resolve) => (respond = resolve)),
    };
    const counters = withLastKnownCounts(
      { ...store, add: (...args) => (isReachable ? store.add(...args) : slow.add(...args)) },
      { log, responseLimit_ms: 1, now: () => now },
    );
    await counters.add('a', 1, 60);
    isReachable = false;
    expect((await counters.add('a', 1, 60)).count).toBe(2);
    isReachable = true;
    await store.add('a', 1, 60);
    respond({ count: 2, left_ms: 60_000 });
    await Promise.resolve();
    expect((await counters.add('a', 1, 60)).count).toBe(3);
  });

  test('a process logs this once a minute', async () => {
    const warn = vi.spyOn(log, 'warn');
    const counters = open();
    isReachable = false;
    for (let count = 0; count < 3; count += 1) await counters.add('a', 1, 600);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

test('limits that protect people are strict, and a first report is never rejected', () => {
  const strict = (method: string, path: string) =>
    findLimits(matchRequest(method, path), method, path).flatMap(({ name, isStrict }) =>
      isStrict === true ? [name] : [],
    );
  expect(strict('POST', '/ads/a1/contact')).toEqual(['contact-details', 'contact-details-of-account']);
  expect(strict('POST', '/auth/login')).toEqual(['login']);
  expect(strict('POST', '/auth/signup')).toEqual(['sign-up', 'sign-up-mails']);
  expect(strict('POST', '/auth/forgot-password')).toEqual(['codes', 'code-mails']);
  expect(strict('POST', '/auth/verify-email')).toEqual(['codes', 'code-guesses']);
  expect(strict('POST', '/reports')).toEqual([]);
  const ofReports = findLimits(matchRequest('POST', '/reports'), 'POST', '/reports');
  expect(ofReports.flatMap(({ name, isStrict }) => (isStrict === 'after-first' ? [name] : []))).toEqual([
    'reports',
    'reports-of-day',
  ]);
});
