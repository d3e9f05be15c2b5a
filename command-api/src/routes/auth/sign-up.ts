import {
  account,
  DomainError,
  registerAccount,
  repeatSignUp,
  signUpFields,
  type DecisionContext,
  type RegisteredAccount,
  type SignUpFields,
} from '@alpenglow/domain';
import { jsonBody, parseInput, setPosition, type Handled } from '@alpenglow/infra';
import { Router, type Response } from 'express';
import { answer, exposedCode, originOf, sessionAnswer } from './answers.ts';
import type { AuthDependencies } from './dependencies.ts';
import { openSession } from './open-session.ts';

/**
 * `POST /auth/signup` of the specification, section 7. An address that has an account is answered like any other (decision 0022), with as
 * much password work and as many streams read and written.
 */
export function signUpRoutes(deps: AuthDependencies): Router {
  const router = Router();
  router.post('/signup', jsonBody, async (req, res) => {
    const fields = parseInput(signUpFields, req.body);
    const passwordHash = await deps.passwords.hash(fields.password);
    const signedUp = await signUp(deps, fields, passwordHash, res);
    const state = opened(signedUp);
    const token = await openSession(deps, state);
    if (token === null) throw new DomainError('CONFLICT');
    setPosition(res, signedUp);
    res.status(201);
    answer(res, {
      ...sessionAnswer(state, token, deps, 'Account created. Please verify your e-mail.'),
      ...exposedCode(state, deps),
    });
  });
  return router;
}

type SignedUp = Pick<Handled<RegisteredAccount | null>, 'state' | 'position'>;

async function signUp(
  deps: AuthDependencies,
  { password, ...fields }: SignUpFields,
  passwordHash: string,
  res: Response,
): Promise<SignedUp> {
  const accountId = deps.accountIdOf(fields.email);
  const before = await deps.commands.load(account, accountId);
  const isTheirs = await deps.passwords.matches(before.state?.passwordHash ?? null, password);
  if (!before.state) {
    try {
      const register = (state: RegisteredAccount | null, context: DecisionContext) =>
        registerAccount({ ...fields, accountId, passwordHash, isDemo: false }, state, context);
      return await deps.commands.handle(account, accountId, register, originOf(accountId, res));
    } catch (error) {
      // Somebody opened it meanwhile: once more, as with any address that has an account.
      if (!(error instanceof DomainError) || error.code !== 'CONFLICT') throw error;
      return signUp(deps, { password, ...fields }, passwordHash, res);
    }
  }
  if (isTheirs && isNew(before.state)) return before;
  const standInId = deps.standInIdOf(fields.email, password);
  const command = { ...fields, accountId: standInId, ofAccountId: accountId, passwordHash };
  return deps.commands.handle(
    account,
    standInId,
    (state, context) => repeatSignUp(command, state, context),
    originOf(standInId, res),
  );
}

/**
 * Whoever signs up twice with the same password gets the same account twice, also where that is a stand-in; an account that may do more
 * than a new one is for the login to open.
 */
function isNew({ emailVerified, verifiedByAdmin }: RegisteredAccount): boolean {
  return !emailVerified && !verifiedByAdmin;
}

function opened({ state }: SignedUp): RegisteredAccount {
  if (!state) throw new Error('A sign-up left no account');
  return state;
}
