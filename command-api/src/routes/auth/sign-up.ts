import {
  account,
  DomainError,
  type DecisionContext,
  type RegisteredAccount,
  type SignUpFields,
} from '@alpenglow/domain';
import { registerAccount, createStandIn } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setPosition, type CommandResult } from '@alpenglow/infra';
import type { Response } from 'express';
import { sendResponse, getExposedCode, createSessionResponse } from './responses.ts';
import type { AuthDependencies } from './dependencies.ts';
import { createAccountOrigin } from '../../origin.ts';
import { openSession } from './open-session.ts';

/**
 * `POST /auth/signup`. The response does not show whether the e-mail address already has an account (decision
 * 0022). For this reason, a sign-up with a new address and a sign-up with a known address have the same number of
 * password hashes, reads and writes.
 */
export function signUpRoutes(deps: AuthDependencies) {
  const router = createOperationRouter();
  router.on('signUp', async (req, res) => {
    const fields = getInput(req);
    const passwordHash = await deps.passwords.hash(fields.password);
    const result = await signUp(deps, fields, passwordHash, res);
    const state = requireAccount(result);
    const token = await openSession(deps, state);
    if (token === null) throw new DomainError('CONFLICT');
    setPosition(res, result);
    res.status(201);
    sendResponse(res, {
      ...createSessionResponse(state, token, deps, 'Account created. Please verify your e-mail.'),
      ...getExposedCode(state, deps),
    });
  });
  return router;
}

type SignUpResult = Pick<CommandResult<RegisteredAccount | null>, 'state' | 'position'>;

async function signUp(
  deps: AuthDependencies,
  { password, ...fields }: SignUpFields,
  passwordHash: string,
  res: Response,
): Promise<SignUpResult> {
  const accountId = deps.createAccountId(fields.email);
  const existing = await deps.commands.load(account, accountId);
  const isOwnPassword = await deps.passwords.matches(existing.state?.passwordHash ?? null, password);
  if (!existing.state) {
    try {
      const register = (state: RegisteredAccount | null, context: DecisionContext) =>
        registerAccount({ ...fields, accountId, passwordHash, isDemo: false }, state, context);
      return await deps.commands.handle(account, accountId, register, createAccountOrigin(accountId, res));
    } catch (error) {
      // Another request has registered this e-mail address in the meantime. The sign-up starts again and finds this
      // account.
      if (!(error instanceof DomainError) || error.code !== 'CONFLICT') throw error;
      return signUp(deps, { password, ...fields }, passwordHash, res);
    }
  }
  if (isOwnPassword && isNew(existing.state)) return existing;
  const standInId = deps.createStandInId(fields.email, password);
  const command = { ...fields, accountId: standInId, ofAccountId: accountId, passwordHash };
  return deps.commands.execute(account, standInId, createStandIn, command, createAccountOrigin(standInId, res));
}

/**
 * Checks whether a repeated sign-up with the same password may return this existing account. If the account is
 * verified, it has more permissions than a new account, so its owner must log in instead.
 */
function isNew({ emailVerified, verifiedByAdmin }: RegisteredAccount): boolean {
  return !emailVerified && !verifiedByAdmin;
}

function requireAccount({ state }: SignUpResult): RegisteredAccount {
  if (!state) throw new Error('The sign-up did not create an account');
  return state;
}
