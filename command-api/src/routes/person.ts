import { randomUUID } from 'node:crypto';
import {
  account,
  DomainError,
  erasureFields,
  liftLegalHold,
  person,
  personReasonFields,
  requestErasure,
  setLegalHold,
  type DoneAnswer,
  type ErasureAnswer,
  type PersonState,
} from '@alpenglow/domain';
import {
  jsonBody,
  parseInput,
  requestIdOf,
  setPosition,
  type Authentication,
  type CommandHandler,
  type Logger,
  type Passwords,
  type Sessions,
} from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../ad-input.ts';
import { afterwards } from '../afterwards.ts';
import { staffOrigin, userIdOf } from './staff-requests.ts';

export interface PersonDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly log: Logger;
}

const ERASING = 'Everything held about this account is being erased';

/** `/account/erasure`: whoever knows the password has everything that is held about them erased (decision 0044). */
export function erasureRoutes({ commands, authentication, sessions, passwords, log }: PersonDependencies): Router {
  const router = Router();
  router.post('/', jsonBody, async (req, res) => {
    const { account: asker } = await authentication.require(req);
    const { password } = parseInput(erasureFields, bodyOf(req));
    if (!(await passwords.matches(asker.passwordHash, password))) throw new DomainError('WRONG_PASSWORD');
    // An address that was never verified may be somebody else's, and its account a stand-in that has nothing of its own (decision 0022).
    if (!asker.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
    const { accountId } = asker;
    const request = { accountId, receiptId: randomUUID(), by: 'self', reason: null } as const;
    const handled = await commands.handle(person, accountId, (state) => requestErasure(request, state), {
      actor: { kind: 'account', accountId },
      correlationId: requestIdOf(res),
    });
    // The erasure ends them as well.
    await afterwards(log, 'end sessions', () => sessions.revokeAll(accountId));
    setPosition(res, handled);
    res.status(202).setHeader('Cache-Control', 'no-store').json(underWay(handled.state));
  });
  return router;
}

/** What admins do about everything that is held of somebody, open account or not: erase it for them, or keep it. */
export function personAdminRoutes({ commands, authentication, sessions, log }: PersonDependencies): Router {
  const router = Router();

  /** Refuses with USER_NOT_FOUND where there was never anybody; a stand-in (decision 0022) is nobody. */
  async function requirePerson(accountId: string): Promise<void> {
    const { state, revision } = await commands.load(account, accountId);
    const isStandIn = state !== null && state.repeatOf !== null;
    if (revision < 0 || isStandIn) throw new DomainError('USER_NOT_FOUND');
  }

  router.post('/users/:id/erasure', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const accountId = userIdOf(req);
    if (accountId === admin.account.accountId) throw new DomainError('OWN_ACCOUNT');
    const { reason } = parseInput(personReasonFields, bodyOf(req));
    await requirePerson(accountId);
    const request = { accountId, receiptId: randomUUID(), by: 'admin', reason } as const;
    const handled = await commands.handle(
      person,
      accountId,
      (state) => requestErasure(request, state),
      staffOrigin(admin, res),
    );
    await afterwards(log, 'end sessions', () => sessions.revokeAll(accountId));
    setPosition(res, handled);
    res.status(202).setHeader('Cache-Control', 'no-store').json(underWay(handled.state));
  });

  router.put('/users/:id/legal-hold', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const accountId = userIdOf(req);
    const { reason } = parseInput(personReasonFields, bodyOf(req));
    await requirePerson(accountId);
    setPosition(
      res,
      await commands.handle(
        person,
        accountId,
        (state) => setLegalHold(reason, accountId, state),
        staffOrigin(admin, res),
      ),
    );
    res.json({ success: true, message: 'Everything held about this account is kept' } satisfies DoneAnswer);
  });

  router.delete('/users/:id/legal-hold', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const accountId = userIdOf(req);
    const { reason } = parseInput(personReasonFields, bodyOf(req));
    await requirePerson(accountId);
    setPosition(
      res,
      await commands.handle(
        person,
        accountId,
        (state) => liftLegalHold(reason, accountId, state),
        staffOrigin(admin, res),
      ),
    );
    res.json({ success: true, message: 'The legal hold is lifted' } satisfies DoneAnswer);
  });

  return router;
}

/** The receipt of an erasure that has just been asked for, or goes on. */
function underWay({ erasure }: PersonState): ErasureAnswer {
  if (!erasure) throw new Error('An erasure that was asked for is under way');
  const { receiptId, requestedAt, done } = erasure;
  return {
    success: true,
    message: ERASING,
    data: {
      receiptId,
      requestedAt,
      status: 'under_way',
      steps: done.map(({ step, at }) => ({ step, at })),
      completedAt: null,
    },
  };
}
