import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { account, type AccountEvent, type EventStore } from '@alpenglow/domain';
import {
  accountIdOf,
  createAuthentication,
  createBrowsers,
  createCommandHandler,
  createLogger,
  createPositionTokens,
  createErrorHandler,
  providePositions,
  standInIdOf,
  type CommandHandler,
} from '@alpenglow/infra';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authRoutes } from '../src/routes/auth/routes.ts';
import { ERROR_DELAY_ms } from '../src/routes/auth/equal-error-time.ts';
import { createLimitedSessions } from './limited-sessions.ts';
import { assignRequestId } from '../../tests/support/assign-request-id.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';

/**
 * The duration of a request must not show whether an e-mail address has an account (decision 0055). Instead of
 * measuring time, the tests count reads, writes, password hashes and comparisons. If the number of writes differs, the
 * server must delay error responses to the same duration, or write in the background.
 */
const SECRET = '00'.repeat(32);
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const PASSWORD = 'correct horse';
const hashed = (password: string) => `hash of ${password}`;
const FAR_FUTURE = '2100-01-01T00:00:00.000Z';

let server: Server;
let commands: CommandHandler;
/** Names of the counted operations, in the order in which they ran. */
let work: string[];
/** When true, the event store never responds. */
let isStuck: boolean;

beforeEach(async () => {
  work = [];
  isStuck = false;
  commands = createCommandHandler(countCalls(createMemoryEventStore()));
  const log = createLogger('silent');
  const sessions = createLimitedSessions({
    open: () => count('open a session', 'token'),
    revokeEarlier: () => count('end sessions', undefined),
  });
  const deps = {
    commands,
    sessions,
    authentication: createAuthentication({ sessions, commands, adminEmail: null, staffTwoStep: false }),
    passwords: {
      hash: (password: string) => count('hash', hashed(password)),
      check: (passwordHash: string | null, password: string) =>
        count('compare', { matches: passwordHash === hashed(password), isOutdated: false }),
      matches: (passwordHash: string | null, password: string) => count('compare', passwordHash === hashed(password)),
    },
    dataKeys: {
      obtain: (accountId: string) => count('obtain a key', { id: accountId, key: Buffer.alloc(32) }),
      find: () => Promise.resolve(new Map<string, Buffer>()),
    },
    createAccountId: (email: string) => accountIdOf(SECRET, email),
    hashKey: (text: string) => text,
    createStandInId: (email: string) => standInIdOf(SECRET, email),
    browsers: createBrowsers({ secret: SECRET, hashKey: (text) => accountIdOf(SECRET, text), isSecure: false }),
    createVerificationCode: () => '123456',
    adminEmail: null,
    staffTwoStep: false,
    exposeCodes: false,
    log,
  };
  const app = express();
  app.use(assignRequestId);
  app.use(providePositions(createPositionTokens(SECRET)));
  app.use('/api/auth', authRoutes(deps));
  app.use(createErrorHandler(log));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function count<T>(what: string, value: T): Promise<T> {
  work.push(what);
  return Promise.resolve(value);
}

function countCalls(store: EventStore): EventStore {
  const unlessStuck = <T>(what: string, call: () => Promise<T>): Promise<T> => {
    work.push(what);
    return isStuck ? new Promise<T>(() => undefined) : call();
  };
  return {
    ...store,
    readStream: (stream, options) => unlessStuck('read', () => store.readStream(stream, options)),
    append: (stream, events, options) =>
      unlessStuck(`write ${events.length}`, () => store.append(stream, events, options)),
  };
}

/** The past events of test accounts, by a description of the account. */
const HISTORIES: Readonly<Record<string, (accountId: string) => readonly AccountEvent[]>> = {
  'an unknown address': () => [],
  'an unverified account': (accountId) => [registered(accountId), verificationIssued(accountId)],
  'a verified account': (accountId) => [registered(accountId), { type: 'EmailVerified', data: { accountId } }],
  'an account with an open password reset': (accountId) => [
    registered(accountId),
    { type: 'PasswordResetIssued', data: { accountId, issuanceId: 'r', expiresAt: FAR_FUTURE } },
  ],
  'a demo account': (accountId) => [
    { ...registered(accountId), data: { ...registered(accountId).data, passwordHash: null } },
  ],
  'a closed account': (accountId) => [
    registered(accountId),
    { type: 'AccountClosed', data: { accountId, reason: null } },
  ],
};
const registered = (accountId: string) =>
  ({
    type: 'AccountRegistered',
    data: {
      accountId,
      email: 'a@example.com',
      passwordHash: hashed('the owner’s own'),
      userType: 'client',
      displayName: 'A',
      age: 30,
      isDemo: false,
    },
  }) as const;
const verificationIssued = (accountId: string): AccountEvent => ({
  type: 'EmailVerificationIssued',
  data: { accountId, issuanceId: 'v', expiresAt: FAR_FUTURE },
});

interface RequestResult {
  readonly status: number;
  readonly duration_ms: number;
  readonly work: readonly string[];
}

/** Sends the same request once for each test account in `HISTORIES`. */
async function requestForEach(
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, RequestResult>>> {
  const results: Record<string, RequestResult> = {};
  for (const [index, [kind, historyOf]] of Object.entries(HISTORIES).entries()) {
    const email = `a${index}@example.com`;
    const accountId = accountIdOf(SECRET, email);
    await commands.handle(account, accountId, () => historyOf(accountId), origin);
    work = [];
    results[kind] = await sendRequest(path, { email, ...body });
  }
  return results;
}

async function sendRequest(path: string, body: unknown): Promise<RequestResult> {
  const startedAt_ms = performance.now();
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return { status: response.status, duration_ms: performance.now() - startedAt_ms, work: [...work] };
}

function expectSame(
  results: Readonly<Record<string, RequestResult>>,
  expected: { readonly status: number; readonly work: readonly string[] },
): void {
  for (const [kind, { status, work: counted }] of Object.entries(results))
    expect({ status, work: counted }, kind).toEqual(expected);
}

describe('the work does not depend on whether the address has an account', () => {
  test('a login with a wrong password reads two streams and compares two passwords', async () => {
    expectSame(await requestForEach('login', { password: PASSWORD }), {
      status: 401,
      work: ['read', 'read', 'compare', 'compare'],
    });
  });
  test('a sign-up makes a hash, two keys, a comparison, two events and a session; ends earlier sign-ups', async () => {
    const results = await requestForEach('signup', {
      password: PASSWORD,
      userType: 'client',
      displayName: 'A',
      age: 30,
    });
    expectSame(results, {
      status: 201,
      work: [
        ...['hash', 'read', 'read', 'obtain a key', 'obtain a key', 'compare', 'write 2'],
        ...['end sessions', 'read', 'read', 'read', 'open a session', 'read', 'read'],
      ],
    });
  });
  test('a login after a sign-up reads four streams, compares two passwords and opens one session', async () => {
    await requestForEach('signup', { password: PASSWORD, userType: 'client', displayName: 'A', age: 30 });
    const results: Record<string, RequestResult> = {};
    for (const [index, kind] of Object.keys(HISTORIES).entries()) {
      work = [];
      results[kind] = await sendRequest('login', { email: `a${index}@example.com`, password: PASSWORD });
    }
    expectSame(results, {
      status: 200,
      work: ['read', 'read', 'compare', 'compare', 'open a session', 'read', 'read'],
    });
  });
  test('a password reset with a wrong code makes one hash, reads one stream and delays the error', async () => {
    const results = await requestForEach('reset-password', { code: '000000', newPassword: PASSWORD });
    for (const [kind, { status, work: counted, duration_ms }] of Object.entries(results)) {
      expect(status).toBe(400);
      expect(
        counted.filter((operation) => !operation.startsWith('write')),
        kind,
      ).toEqual(['hash', 'read']);
      expect(duration_ms, kind).toBeGreaterThanOrEqual(ERROR_DELAY_ms - 1);
    }
    expect(results['an account with an open password reset']?.work).toContain('write 1');
  });
  test('an e-mail verification without a session reads three streams and delays the error', async () => {
    const results = await requestForEach('verify-email', { code: '000000' });
    for (const [kind, { status, work: counted, duration_ms }] of Object.entries(results)) {
      expect(status).toBe(400);
      expect(
        counted.filter((operation) => !operation.startsWith('write')),
        kind,
      ).toEqual(['read', 'read', 'read']);
      expect(duration_ms, kind).toBeGreaterThanOrEqual(ERROR_DELAY_ms - 1);
    }
  });
});

describe('work in the background', () => {
  test.each(['forgot-password', 'resend-verification'])('%s responds without waiting for its writes', async (path) => {
    for (const [index, historyOf] of Object.values(HISTORIES).entries()) {
      const accountId = accountIdOf(SECRET, `a${index}@example.com`);
      await commands.handle(account, accountId, () => historyOf(accountId), origin);
    }
    isStuck = true;
    for (const index of Object.keys(HISTORIES).keys()) {
      expect(await sendRequest(path, { email: `a${index}@example.com` })).toMatchObject({ status: 200 });
    }
  });
});
