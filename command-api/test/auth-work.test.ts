import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { account, type AccountEvent, type EventStore } from '@alpenglow/domain';
import {
  accountIdOf,
  createAuthentication,
  createCommandHandler,
  createLogger,
  createMemoryEventStore,
  createMetrics,
  errorHandler,
  httpMetrics,
  requestContext,
  standInIdOf,
  type CommandHandler,
  type Sessions,
} from '@alpenglow/infra';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authRoutes } from '../src/routes/auth/routes.ts';
import { REFUSAL_ms } from '../src/routes/auth/refusing-alike.ts';

/**
 * No call takes longer for an address that has an account than for one that has none (decision 0022). Counted rather than timed: what is
 * read, written, hashed and compared. Where writing differs, refusals wait for each other, and what nobody waits for is not waited for.
 */
const SECRET = '00'.repeat(32);
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const PASSWORD = 'correct horse';
const hashed = (password: string) => `hash of ${password}`;
const FAR = '2100-01-01T00:00:00.000Z';

let server: Server;
let commands: CommandHandler;
/** Each piece of work, in order. */
let work: string[];
/** When set, the event store answers nothing. */
let isStuck: boolean;

beforeEach(async () => {
  work = [];
  isStuck = false;
  commands = createCommandHandler(counting(createMemoryEventStore()));
  const log = createLogger('silent');
  const sessions = countingSessions();
  const deps = {
    commands,
    sessions,
    authentication: createAuthentication({ sessions, commands, adminEmail: null, staffTwoStep: false }),
    passwords: {
      hash: (password: string) => done('hash', hashed(password)),
      matches: (passwordHash: string | null, password: string) => done('compare', passwordHash === hashed(password)),
    },
    accountIdOf: (email: string) => accountIdOf(SECRET, email),
    standInIdOf: (email: string, password: string) => standInIdOf(SECRET, email, password),
    codeOf: () => '123456',
    adminEmail: null,
    staffTwoStep: false,
    exposeCodes: false,
    log,
  };
  const app = express();
  app.use(requestContext(log, httpMetrics(createMetrics())));
  app.use('/api/auth', authRoutes(deps));
  app.use(errorHandler(log));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function done<T>(what: string, value: T): Promise<T> {
  work.push(what);
  return Promise.resolve(value);
}

function counting(store: EventStore): EventStore {
  const unlessStuck = <T>(what: string, ask: () => Promise<T>): Promise<T> => {
    work.push(what);
    return isStuck ? new Promise<T>(() => undefined) : ask();
  };
  return {
    ...store,
    readStream: (stream, options) => unlessStuck('read', () => store.readStream(stream, options)),
    append: (stream, events, options) =>
      unlessStuck(`write ${events.length}`, () => store.append(stream, events, options)),
  };
}

function countingSessions(): Sessions {
  const nothing = () => Promise.reject(new Error('Not of this test'));
  return {
    open: () => done('open a session', 'token'),
    find: nothing,
    refresh: nothing,
    moveOn: nothing,
    passTwoStep: nothing,
    revoke: nothing,
    revokeAll: nothing,
    sweep: nothing,
  };
}

/** What kinds of addresses there are. */
const HISTORIES: Readonly<Record<string, (accountId: string) => readonly AccountEvent[]>> = {
  'nobody’s': () => [],
  'an unverified owner’s': (accountId) => [registered(accountId), verificationIssued(accountId)],
  'a verified owner’s': (accountId) => [registered(accountId), { type: 'EmailVerified', data: { accountId } }],
  'one with a reset on its way': (accountId) => [
    registered(accountId),
    { type: 'PasswordResetIssued', data: { accountId, issuanceId: 'r', expiresAt: FAR } },
  ],
  'a demo account’s': (accountId) => [
    { ...registered(accountId), data: { ...registered(accountId).data, passwordHash: null } },
  ],
  'a closed account’s': (accountId) => [
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
  data: { accountId, issuanceId: 'v', expiresAt: FAR },
});

interface Asked {
  readonly status: number;
  readonly duration_ms: number;
  readonly work: readonly string[];
}

/** Asks the same about an address of each kind. */
async function askAboutEach(
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, Asked>>> {
  const asked: Record<string, Asked> = {};
  for (const [index, [kind, historyOf]] of Object.entries(HISTORIES).entries()) {
    const email = `a${index}@example.com`;
    const accountId = accountIdOf(SECRET, email);
    await commands.handle(account, accountId, () => historyOf(accountId), origin);
    work = [];
    asked[kind] = await ask(path, { email, ...body });
  }
  return asked;
}

async function ask(path: string, body: unknown): Promise<Asked> {
  const startedAt_ms = performance.now();
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return { status: response.status, duration_ms: performance.now() - startedAt_ms, work: [...work] };
}

function expectAlike(
  asked: Readonly<Record<string, Asked>>,
  expected: { readonly status: number; readonly work: readonly string[] },
): void {
  for (const [kind, { status, work: seen }] of Object.entries(asked))
    expect({ status, work: seen }, kind).toEqual(expected);
}

describe('as much is done for any address by', () => {
  test('a login with a wrong password: two streams, one comparison', async () => {
    expectAlike(await askAboutEach('login', { password: PASSWORD }), {
      status: 401,
      work: ['read', 'read', 'compare'],
    });
  });
  test('a sign-up: a hash, two streams, a comparison, two events, and two looks whether the account is still there, and to stay', async () => {
    const asked = await askAboutEach('signup', { password: PASSWORD, userType: 'client', displayName: 'A', age: 30 });
    expectAlike(asked, {
      status: 201,
      work: ['hash', 'read', 'compare', 'read', 'write 2', 'open a session', 'read', 'read'],
    });
  });
  test('a login after that sign-up', async () => {
    await askAboutEach('signup', { password: PASSWORD, userType: 'client', displayName: 'A', age: 30 });
    const asked: Record<string, Asked> = {};
    for (const [index, kind] of Object.keys(HISTORIES).entries()) {
      work = [];
      asked[kind] = await ask('login', { email: `a${index}@example.com`, password: PASSWORD });
    }
    expectAlike(asked, { status: 200, work: ['read', 'read', 'compare', 'open a session', 'read', 'read'] });
  });
  test('a reset with a wrong code: a hash and a stream, and a refusal that takes its time, whether the attempt is counted or not', async () => {
    const asked = await askAboutEach('reset-password', { code: '000000', newPassword: PASSWORD });
    for (const [kind, { status, work: seen, duration_ms }] of Object.entries(asked)) {
      expect(status).toBe(400);
      expect(
        seen.filter((one) => !one.startsWith('write')),
        kind,
      ).toEqual(['hash', 'read']);
      expect(duration_ms, kind).toBeGreaterThanOrEqual(REFUSAL_ms - 1);
    }
    expect(asked['one with a reset on its way']?.work).toContain('write 1');
  });
  test('a verification with a wrong code: a stream, and a refusal that takes its time, whether the attempt is counted or not', async () => {
    const asked = await askAboutEach('verify-email', { code: '000000' });
    for (const [kind, { status, work: seen, duration_ms }] of Object.entries(asked)) {
      expect(status).toBe(400);
      expect(
        seen.filter((one) => !one.startsWith('write')),
        kind,
      ).toEqual(['read']);
      expect(duration_ms, kind).toBeGreaterThanOrEqual(REFUSAL_ms - 1);
    }
    expect(asked['an unverified owner’s']?.work).toContain('write 1');
  });
});

describe('nobody waits for', () => {
  test.each(['forgot-password', 'resend-verification'])('what %s does', async (path) => {
    for (const [index, historyOf] of Object.values(HISTORIES).entries()) {
      const accountId = accountIdOf(SECRET, `a${index}@example.com`);
      await commands.handle(account, accountId, () => historyOf(accountId), origin);
    }
    isStuck = true;
    for (const index of Object.keys(HISTORIES).keys()) {
      expect(await ask(path, { email: `a${index}@example.com` })).toMatchObject({ status: 200 });
    }
  });
});
