import {
  account,
  DomainError,
  hasOwner,
  type AccountEvent,
  type AccountState,
  type DecisionContext,
  type RegisteredAccount,
  type SignUpFields,
  endEarlierSignUps,
  findLastPosition,
} from '@alpenglow/domain';
import { closeStandIn, createStandIn, registerAccount } from '@alpenglow/domain/deciders';
import {
  createOperationRouter,
  describeSessionClient,
  getInput,
  requireStrongPassword,
  setPosition,
  type CommandOrigin,
  type CommandResult,
} from '@alpenglow/infra';
import { sendResponse, getExposedCode, createSessionResponse } from './responses.ts';
import type { AuthDependencies } from './dependencies.ts';
import { createAccountOrigin } from '../../origin.ts';
import { openSession } from './open-session.ts';

/**
 * `POST /auth/signup`. A later sign-up replaces an account whose address is not verified. The
 * response does not show whether the e-mail address already has an account (decision 0055). For this reason, a sign-up
 * with a new address and a sign-up with a known address have the same number of password hashes, reads and writes.
 */
export function signUpRoutes(deps: AuthDependencies) {
  const router = createOperationRouter();
  router.on('signUp', async (req, res) => {
    const { password, ...fields } = getInput(req);
    await requireStrongPassword(password, fields, 'password');
    const accountId = deps.createAccountId(fields.email);
    const browser = deps.browsers.identifyHash(req, res, accountId);
    const passwordHash = await deps.passwords.hash(password);
    const origin = createAccountOrigin(accountId, res);
    const result = await signUp(deps, { fields, password, passwordHash, browser }, origin);
    const state = requireAccount(result);
    // A repeated sign-up does this again, because the first request may have been interrupted before this step.
    const ended = await endEarlierSignUps(deps, state, origin);
    const position = findLastPosition([result, { position: ended }]);
    const token = await openSession(deps, describeSessionClient(req, deps.hashKey), state, 0, position);
    if (token === null) throw new DomainError('CONFLICT');
    setPosition(res, { position });
    res.status(201);
    sendResponse(res, {
      ...createSessionResponse(state, token, deps, 'Account created. Please verify your e-mail.'),
      ...getExposedCode(state, deps),
    });
  });
  return router;
}

interface SignUp {
  readonly fields: Omit<SignUpFields, 'password'>;
  readonly password: string;
  readonly passwordHash: string;
  /** Keyed hash of the browser that signs up. */
  readonly browser: string;
}

/** The number of attempts while other requests sign up with the same e-mail address. */
const MAX_ATTEMPTS = 5;

async function signUp(
  deps: AuthDependencies,
  request: SignUp,
  origin: CommandOrigin,
  attempt = 1,
): Promise<CommandResult<AccountState>> {
  const { commands, dataKeys, passwords, createAccountId, createStandInId } = deps;
  const { fields, password, browser } = request;
  const [ownId, standInId] = [createAccountId(fields.email), createStandInId(fields.email)];
  const [own, standIn] = await Promise.all([commands.load(account, ownId), commands.load(account, standInId)]);
  const isTaken = own.state !== null && hasOwner(own.state);
  const replaced = isTaken ? standIn : own;
  // Creating a key takes longer than reading one, so both cases create the same keys.
  await Promise.all([ownId, standInId].map((id) => dataKeys.obtain(id)));
  const replacedHash = replaced.state?.passwordHash ?? null;
  // A repeated sign-up with the same password has the same hash, so the deciders recognize it.
  const isSamePassword = await passwords.matches(replacedHash, password);
  const passwordHash = isSamePassword ? replacedHash : request.passwordHash;

  function decide(state: AccountState, context: DecisionContext): readonly AccountEvent[] {
    // Another request has signed up in the meantime, so the password must be compared again.
    if (attempt < MAX_ATTEMPTS && (state?.passwordHash ?? null) !== replacedHash) throw new DomainError('CONFLICT');
    return isTaken
      ? createStandIn({ ...fields, accountId: standInId, ofAccountId: ownId, passwordHash, browser }, state, context)
      : registerAccount({ ...fields, accountId: ownId, passwordHash, isDemo: false, browser }, state, context);
  }
  try {
    const result = await commands.handle(account, isTaken ? standInId : ownId, decide, origin, { loaded: replaced });
    // The verified account of this address was closed, so its stand-in account is an earlier sign-up.
    if (!isTaken && standIn.state) await commands.execute(account, standInId, closeStandIn, {}, origin);
    return result;
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'CONFLICT' || attempt === MAX_ATTEMPTS) throw error;
    return signUp(deps, request, origin, attempt + 1);
  }
}

function requireAccount({ state }: Pick<CommandResult<AccountState>, 'state'>): RegisteredAccount {
  if (!state) throw new Error('The sign-up did not create an account');
  return state;
}
