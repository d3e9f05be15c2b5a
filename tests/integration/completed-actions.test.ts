import {
  account,
  toCaseId,
  toCaseSubject,
  EventStoreUnavailable,
  identity,
  moderationCase,
  person,
  toPostId,
  toStreamId,
  thread,
  type BlobStore,
  type DomainEvent,
  type EventStore,
  type RegisteredAccount,
  type StreamId,
  type AdDirectory,
} from '@alpenglow/domain';
import { addReport, claimCase } from '@alpenglow/domain/deciders';
import {
  createBrowsers,
  createCommandHandler,
  createLogger,
  newTwoStepSecret,
  type Authentication,
  type CommandHandler,
  type DataKeys,
  type OpenCodes,
  type Principal,
  type Sessions,
} from '@alpenglow/infra';
import type { RequestHandler } from 'express';
import { generateSync } from 'otplib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { adminRoutes } from '../../command-api/src/routes/admin.ts';
import { authRoutes } from '../../command-api/src/routes/auth/routes.ts';
import { caseRoutes } from '../../command-api/src/routes/cases.ts';
import { moderationRoutes } from '../../command-api/src/routes/community/moderation.ts';
import { identityDecisionRoutes } from '../../command-api/src/routes/identity.ts';
import { erasureRoutes, personAdminRoutes } from '../../command-api/src/routes/person.ts';
import { reportRoutes } from '../../command-api/src/routes/reports.ts';
import { SAMPLES } from '../../projectors/test/samples.ts';
import { serveRoutes, type ServedRoutes } from '../support/served-routes.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

/**
 * Tests requests whose backing services fail directly after the product has stored the deciding event. The action is
 * then complete, so the response must not be an error (decision 0049).
 */

const log = createLogger('silent');
const ID = 'the-admin';
const PASSWORD = 'correct horse battery';
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
let store: EventStore;
let commands: CommandHandler;
let admin: RegisteredAccount;
let routes: ServedRoutes | null;
/** Returns true for streams to which appends fail. */
let isUnavailable: (stream: StreamId) => boolean;

beforeEach(async () => {
  routes = null;
  isUnavailable = () => false;
  const memoryStore = createMemoryEventStore();
  store = {
    ...memoryStore,
    append: (stream, ...rest) =>
      isUnavailable(stream) ? Promise.reject(new EventStoreUnavailable('away')) : memoryStore.append(stream, ...rest),
  };
  commands = createCommandHandler(store);
  admin = await registerWithId(ID);
});
afterEach(() => routes?.stop());

async function registerWithId(accountId: string): Promise<RegisteredAccount> {
  const withAccountId = (event: DomainEvent) => ({ ...event, data: { ...event.data, accountId } }) as never;
  const { state } = await commands.handle(
    account,
    accountId,
    () => [
      withAccountId(SAMPLES.AccountRegistered),
      withAccountId(SAMPLES.EmailVerificationIssued),
      withAccountId(SAMPLES.EmailVerified),
    ],
    origin,
  );
  if (!state) throw new Error('The account was not registered');
  return state;
}

const failWithTimeout = () => Promise.reject(new Error('timeout expired'));
/** Session store in which every operation fails. */
const sessions = {
  updatePasswordVersion: failWithTimeout,
  revokeAll: failWithTimeout,
  findIds: failWithTimeout,
  revokeByIds: failWithTimeout,
  revokeOthers: failWithTimeout,
  updateTwoStepVersion: failWithTimeout,
  revoke: failWithTimeout,
  open: failWithTimeout,
  find: failWithTimeout,
  refresh: failWithTimeout,
  sweep: failWithTimeout,
} as unknown as Sessions;
const passwords = {
  check: () => Promise.resolve({ matches: true, isOutdated: false }),
  matches: () => Promise.resolve(true),
  hash: (password: string) => Promise.resolve(`hash of ${password}`),
};
function createAuthentication(): Authentication {
  const principal = {
    token: 'token',
    sessionId: 'session',
    account: admin,
    user: { id: ID, isEmailVerified: true, isAdmin: true, isModerator: true },
    hasPassedTwoStep: true,
    isRoleWithheld: false,
  } as unknown as Principal;
  const authenticate = () => Promise.resolve(principal);
  return {
    require: authenticate,
    requireAdmin: authenticate,
    requireModerator: authenticate,
    findPrincipal: authenticate,
  } as unknown as Authentication;
}
async function sendRequest(
  router: RequestHandler,
  method: string,
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  routes = await serveRoutes('/api', router);
  const response = await fetch(`${routes.url}/api${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}
const readEventTypes = async (stream: StreamId) => (await store.readStream(stream)).map(({ type }) => type);

describe('if sessions are unavailable', () => {
  const auth = () =>
    authRoutes({
      commands,
      sessions,
      authentication: createAuthentication(),
      passwords,
      dataKeys: createMemoryDataKeys(),
      createAccountId: () => ID,
      hashKey: (text: string) => text,
      createStandInId: () => 'stand-in',
      browsers: createBrowsers({ secret: '00'.repeat(32), hashKey: (text) => text, isSecure: false }),
      createVerificationCode: () => '123456',
      adminEmail: null,
      staffTwoStep: false,
      exposeCodes: false,
      log,
    });

  test('a password is changed', async () => {
    expect(
      await sendRequest(auth(), 'POST', '/auth/change-password', {
        currentPassword: PASSWORD,
        newPassword: 'another horse battery',
      }),
    ).toMatchObject({ status: 200, body: { message: 'Password changed' } });
    expect(await readEventTypes(toStreamId(account, ID))).toContain('PasswordChanged');
  });

  test('a password is reset', async () => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    await commands.handle(
      account,
      ID,
      () => [{ type: 'PasswordResetIssued', data: { accountId: ID, issuanceId: 'i1', expiresAt } }],
      origin,
    );
    expect(
      (
        await sendRequest(auth(), 'POST', '/auth/reset-password', {
          email: 'a@example.com',
          code: '123456',
          newPassword: 'another horse battery',
        })
      ).status,
    ).toBe(200);
    expect(await readEventTypes(toStreamId(account, ID))).toContain('PasswordChanged');
  });

  test('two-step sign-in is enabled, and the recovery codes are returned', async () => {
    const secret = newTwoStepSecret();
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    await commands.handle(
      account,
      ID,
      () => [{ type: 'TwoStepSetUpBegun', data: { accountId: ID, secret, expiresAt } }],
      origin,
    );
    const { status, body } = await sendRequest(auth(), 'POST', '/auth/two-step/confirm', {
      code: generateSync({ secret }),
    });
    expect([status, (body['data'] as { recoveryCodes: readonly string[] }).recoveryCodes.length]).toEqual([
      200,
      expect.any(Number),
    ]);
    expect(await readEventTypes(toStreamId(account, ID))).toContain('TwoStepEnabled');
  });

  test.each([
    [
      'the own account',
      () => erasureRoutes({ commands, sessions, authentication: createAuthentication(), passwords, log }),
      '/account/erasure',
      { password: PASSWORD },
      ID,
    ],
    [
      'another account',
      () => personAdminRoutes({ commands, sessions, authentication: createAuthentication(), passwords, log }),
      '/admin/users/bert/erasure',
      { reason: 'They asked by letter' },
      'bert',
    ],
  ])('the erasure of %s is requested', async (_who, router, path, body, erasedId) => {
    await registerWithId('bert');
    expect((await sendRequest(router(), 'POST', path, body)).status).toBe(202);
    expect(await readEventTypes(toStreamId(person, erasedId))).toEqual(['ErasureRequested']);
  });
});

describe('if the consequences of a decision are delayed', () => {
  const startThread = async () => {
    const threadId = (SAMPLES.ThreadStarted.data as { readonly threadId: string }).threadId;
    await commands.handle(thread, threadId, () => [SAMPLES.ThreadStarted as never], origin);
    return threadId;
  };

  test('a post is hidden by a decision', async () => {
    const threadId = await startThread();
    isUnavailable = (stream) => stream.startsWith('thread-');
    const hidden = await sendRequest(
      moderationRoutes({ commands, authentication: createAuthentication(), log }),
      'PUT',
      `/admin/community/threads/${threadId}/posts/0/hidden`,
      { hidden: true, reason: 'Spam' },
    );
    expect(hidden).toMatchObject({ status: 200, body: { message: 'Post hidden' } });
    const caseId = toCaseId(toCaseSubject({ kind: 'post', id: toPostId(threadId, 0) }));
    expect(await readEventTypes(toStreamId(moderationCase, caseId))).toContain('CaseDecided');
  });

  test('a case is decided', async () => {
    const threadId = await startThread();
    const subject = toCaseSubject({ kind: 'post', id: toPostId(threadId, 0) });
    const caseId = toCaseId(subject);
    const evidence = { stream: toStreamId(thread, threadId), revision: 0 };
    await commands.execute(
      moderationCase,
      caseId,
      addReport,
      { reportId: 'r1', reason: 'spam', subject, ownerId: 'bert', evidence, canHide: false },
      origin,
    );
    await commands.execute(moderationCase, caseId, claimCase, { moderatorId: ID }, origin);
    isUnavailable = (stream) => stream.startsWith('thread-');
    const cases = caseRoutes({ commands, authentication: createAuthentication(), sessions, log });
    expect(
      (
        await sendRequest(cases, 'POST', `/admin/moderation/cases/${caseId}/decide`, {
          outcome: 'hidden',
          rule: 'other',
          facts: 'Spam',
        })
      ).status,
    ).toBe(200);
    expect(await readEventTypes(toStreamId(moderationCase, caseId))).toContain('CaseDecided');
  });

  test('a report is filed', async () => {
    const threadId = await startThread();
    isUnavailable = (stream) => stream.startsWith('case-');
    const reports = reportRoutes({
      commands,
      authentication: createAuthentication(),
      ads: { ownerOf: () => Promise.resolve(null) },
      reportHistory: {
        find: () => Promise.resolve({ confirmed: 0, unfounded: 0, unfoundedOfOwner: 0 }),
        hasReported: () => Promise.resolve(false),
        isRestricted: () => Promise.resolve(false),
        storeSource: () => Promise.resolve(),
        sweep: () => Promise.resolve(),
      },
      counters: null,
      hashKey: (text) => text,
      log,
    });
    const { status, body } = await sendRequest(reports, 'POST', '/reports', {
      subject: { kind: 'post', id: toPostId(threadId, 0) },
      reason: 'spam',
    });
    expect(status).toBe(201);
    expect(body['reference']).toEqual(expect.any(String));
  });

  test('an identity check is decided', async () => {
    await registerWithId('bert');
    await commands.handle(
      identity,
      'bert',
      () => [{ type: 'IdentityCheckRequested', data: { accountId: 'bert', checkId: 'c1', files: 1 } }],
      origin,
    );
    const blobs = { remove: failWithTimeout } as unknown as BlobStore;
    const identities = identityDecisionRoutes({
      commands,
      authentication: createAuthentication(),
      blobs,
      dataKeys: {} as DataKeys,
      log,
    });
    expect(
      (
        await sendRequest(identities, 'POST', '/admin/identity/bert/decide', {
          accept: true,
          reason: 'The pictures show them',
        })
      ).status,
    ).toBe(200);
    expect(await readEventTypes(toStreamId(identity, 'bert'))).toEqual([
      'IdentityCheckRequested',
      'IdentityCheckDecided',
    ]);
  });
});

describe('clearing the verification codes of several accounts', () => {
  async function clear(): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
    for (const id of ['one', 'two']) {
      const data = { accountId: id, issuanceId: id, expiresAt: '2100-01-01T00:00:00.000Z' };
      await commands.handle(
        account,
        id,
        () => [
          { ...SAMPLES.AccountRegistered, data: { ...SAMPLES.AccountRegistered.data, accountId: id } },
          { type: 'EmailVerificationIssued', data },
        ],
        origin,
      );
    }
    const openCodes: OpenCodes = { findAccountIds: () => Promise.resolve(['one', 'two']) };
    return sendRequest(
      adminRoutes({
        commands,
        authentication: createAuthentication(),
        sessions,
        openCodes,
        ads: {} as AdDirectory,
        adminEmail: null,
        log,
      }),
      'POST',
      '/admin/verification-codes/clear',
      {},
    );
  }

  test('reports the number of cleared codes if some could not be cleared', async () => {
    const two = toStreamId(account, 'two');
    let written = 0;
    isUnavailable = (stream) => stream === two && (written += 1) > 1;
    expect(await clear()).toMatchObject({
      status: 200,
      body: { data: { cleared: 1 }, message: 'Verification codes cleared: 1; there may be more' },
    });
  });

  test('responds with 503 if no code could be cleared', async () => {
    let written = 0;
    isUnavailable = () => (written += 1) > 2;
    expect((await clear()).status).toBe(503);
    for (const id of ['one', 'two'])
      expect(await readEventTypes(toStreamId(account, id))).not.toContain('EmailVerificationCleared');
  });
});
