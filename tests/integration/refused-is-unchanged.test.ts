import {
  account,
  addReport,
  caseIdOf,
  caseSubjectOf,
  claimCase,
  EventStoreUnavailable,
  identity,
  moderationCase,
  person,
  postIdOf,
  streamOf,
  thread,
  type BlobStore,
  type DomainEvent,
  type EventStore,
  type RegisteredAccount,
} from '@alpenglow/domain';
import {
  createCommandHandler,
  createLogger,
  createMemoryEventStore,
  newTwoStepSecret,
  type AdDirectory,
  type Authentication,
  type CommandHandler,
  type DataKeys,
  type OpenCodes,
  type Principal,
  type Sessions,
} from '@alpenglow/infra';
import type { Router } from 'express';
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

/** Calls whose engines go away right behind the event that decides them: what was done must not be refused (decision 0049). */

const log = createLogger('silent');
const ID = 'the-admin';
const PASSWORD = 'correct horse battery';
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
let store: EventStore;
let commands: CommandHandler;
let asker: RegisteredAccount;
let routes: ServedRoutes | null;
/** Streams that take nothing. */
let isAway: (stream: string) => boolean;

beforeEach(async () => {
  routes = null;
  isAway = () => false;
  const kept = createMemoryEventStore();
  store = {
    ...kept,
    append: (stream, ...rest) =>
      isAway(stream) ? Promise.reject(new EventStoreUnavailable('away')) : kept.append(stream, ...rest),
  };
  commands = createCommandHandler(store);
  asker = await registered(ID);
});
afterEach(() => routes?.stop());

async function registered(accountId: string): Promise<RegisteredAccount> {
  const about = (event: DomainEvent) => ({ ...event, data: { ...event.data, accountId } }) as never;
  const { state } = await commands.handle(
    account,
    accountId,
    () => [about(SAMPLES.AccountRegistered), about(SAMPLES.EmailVerificationIssued), about(SAMPLES.EmailVerified)],
    origin,
  );
  if (!state) throw new Error('Not registered');
  return state;
}

const away = () => Promise.reject(new Error('timeout expired'));
/** Every session call fails. */
const sessions = {
  moveOn: away,
  revokeAll: away,
  passTwoStep: away,
  revoke: away,
  open: away,
  find: away,
  refresh: away,
  sweep: away,
} as unknown as Sessions;
const passwords = {
  matches: () => Promise.resolve(true),
  hash: (password: string) => Promise.resolve(`hash of ${password}`),
};
function authentication(): Authentication {
  const principal = {
    token: 'token',
    account: asker,
    user: { id: ID, isEmailVerified: true, isAdmin: true, isModerator: true },
    hasPassedTwoStep: true,
    isRoleWithheld: false,
  } as unknown as Principal;
  const asked = () => Promise.resolve(principal);
  return { require: asked, requireAdmin: asked, requireModerator: asked, optional: asked } as unknown as Authentication;
}
async function call(
  router: Router,
  method: string,
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  routes = await serveRoutes('/api', router);
  const answer = await fetch(`${routes.url}/api${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
}
const typesIn = async (stream: string) => (await store.readStream(stream)).map(({ type }) => type);

describe('where sessions cannot be reached', () => {
  const auth = () =>
    authRoutes({
      commands,
      sessions,
      authentication: authentication(),
      passwords,
      accountIdOf: () => ID,
      standInIdOf: () => 'stand-in',
      codeOf: () => '123456',
      adminEmail: null,
      staffTwoStep: false,
      exposeCodes: false,
      log,
    });

  test('a password is changed', async () => {
    expect(
      await call(auth(), 'POST', '/change-password', {
        currentPassword: PASSWORD,
        newPassword: 'another horse battery',
      }),
    ).toMatchObject({ status: 200, body: { message: 'Password changed' } });
    expect(await typesIn(streamOf(account, ID))).toContain('PasswordChanged');
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
        await call(auth(), 'POST', '/reset-password', {
          email: 'a@example.com',
          code: '123456',
          newPassword: 'another horse battery',
        })
      ).status,
    ).toBe(200);
    expect(await typesIn(streamOf(account, ID))).toContain('PasswordChanged');
  });

  test('two-step sign-in is switched on, and the recovery codes are shown', async () => {
    const secret = newTwoStepSecret();
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    await commands.handle(
      account,
      ID,
      () => [{ type: 'TwoStepSetUpBegun', data: { accountId: ID, secret, expiresAt } }],
      origin,
    );
    const { status, body } = await call(auth(), 'POST', '/two-step/confirm', { code: generateSync({ secret }) });
    expect([status, (body['data'] as { recoveryCodes: readonly string[] }).recoveryCodes.length]).toEqual([
      200,
      expect.any(Number),
    ]);
    expect(await typesIn(streamOf(account, ID))).toContain('TwoStepEnabled');
  });

  test.each([
    [
      'oneself',
      () => erasureRoutes({ commands, sessions, authentication: authentication(), passwords, log }),
      '/',
      { password: PASSWORD },
      ID,
    ],
    [
      'somebody else',
      () => personAdminRoutes({ commands, sessions, authentication: authentication(), passwords, log }),
      '/users/bert/erasure',
      { reason: 'They asked by letter' },
      'bert',
    ],
  ])('the erasure of %s is asked for', async (_who, router, path, body, erased) => {
    await registered('bert');
    expect((await call(router(), 'POST', path, body)).status).toBe(202);
    expect(await typesIn(streamOf(person, erased))).toEqual(['ErasureRequested']);
  });
});

describe('where a decision cannot be followed at once', () => {
  const aThread = async () => {
    const threadId = (SAMPLES.ThreadStarted.data as { readonly threadId: string }).threadId;
    await commands.handle(thread, threadId, () => [SAMPLES.ThreadStarted as never], origin);
    return threadId;
  };

  test('a post is hidden by a decision', async () => {
    const threadId = await aThread();
    isAway = (stream) => stream.startsWith('thread-');
    const hidden = await call(
      moderationRoutes({ commands, authentication: authentication(), log }),
      'PUT',
      `/${threadId}/posts/0/hidden`,
      { hidden: true, reason: 'Spam' },
    );
    expect(hidden).toMatchObject({ status: 200, body: { message: 'Post hidden' } });
    const caseId = caseIdOf(caseSubjectOf({ kind: 'post', id: postIdOf(threadId, 0) }));
    expect(await typesIn(streamOf(moderationCase, caseId))).toContain('CaseDecided');
  });

  test('a case is decided', async () => {
    const threadId = await aThread();
    const subject = caseSubjectOf({ kind: 'post', id: postIdOf(threadId, 0) });
    const caseId = caseIdOf(subject);
    const evidence = { stream: streamOf(thread, threadId), revision: 0 };
    await commands.handle(
      moderationCase,
      caseId,
      (state, context) =>
        addReport(
          { reportId: 'r1', reason: 'spam', subject, ownerId: 'bert', evidence, isHiding: false },
          state,
          context,
        ),
      origin,
    );
    await commands.handle(moderationCase, caseId, (state, context) => claimCase(ID, state, context), origin);
    isAway = (stream) => stream.startsWith('thread-');
    const cases = caseRoutes({ commands, authentication: authentication(), sessions, log });
    expect(
      (await call(cases, 'POST', `/${caseId}/decide`, { outcome: 'hidden', rule: 'other', facts: 'Spam' })).status,
    ).toBe(200);
    expect(await typesIn(streamOf(moderationCase, caseId))).toContain('CaseDecided');
  });

  test('a report is filed', async () => {
    const threadId = await aThread();
    isAway = (stream) => stream.startsWith('case-');
    const reports = reportRoutes({
      commands,
      authentication: authentication(),
      ads: { ownerOf: () => Promise.resolve(null) },
      log,
    });
    const { status, body } = await call(reports, 'POST', '/', {
      subject: { kind: 'post', id: postIdOf(threadId, 0) },
      reason: 'spam',
    });
    expect(status).toBe(201);
    expect(body['reference']).toEqual(expect.any(String));
  });

  test('an identity check is decided', async () => {
    await registered('bert');
    await commands.handle(
      identity,
      'bert',
      () => [{ type: 'IdentityCheckRequested', data: { accountId: 'bert', checkId: 'c1', files: 1 } }],
      origin,
    );
    const blobs = { remove: away } as unknown as BlobStore;
    const identities = identityDecisionRoutes({
      commands,
      authentication: authentication(),
      blobs,
      dataKeys: {} as DataKeys,
      log,
    });
    expect(
      (await call(identities, 'POST', '/identity/bert/decide', { accept: true, reason: 'The pictures show them' }))
        .status,
    ).toBe(200);
    expect(await typesIn(streamOf(identity, 'bert'))).toEqual(['IdentityCheckRequested', 'IdentityCheckDecided']);
  });
});

describe('clearing the codes of several', () => {
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
    const openCodes: OpenCodes = { holders: () => Promise.resolve(['one', 'two']) };
    return call(
      adminRoutes({
        commands,
        authentication: authentication(),
        sessions,
        openCodes,
        ads: {} as AdDirectory,
        adminEmail: null,
      }),
      'POST',
      '/verification-codes/clear',
      {},
    );
  }

  test('tells of those that were cleared where others could not be', async () => {
    const two = streamOf(account, 'two');
    let written = 0;
    isAway = (stream) => stream === two && (written += 1) > 1;
    expect(await clear()).toMatchObject({
      status: 200,
      body: { data: { cleared: 1 }, message: 'Verification codes cleared: 1; there may be more' },
    });
  });

  test('is refused where none was', async () => {
    let written = 0;
    isAway = () => (written += 1) > 2;
    expect((await clear()).status).toBe(503);
    for (const id of ['one', 'two'])
      expect(await typesIn(streamOf(account, id))).not.toContain('EmailVerificationCleared');
  });
});
