import { account, DomainError, person, type ResponseOf, type PersonState, isStandIn } from '@alpenglow/domain';
import { liftLegalHold, requestErasure, setLegalHold } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, getPath, setPosition, type OperationHandler } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin, createObjectId, createOrigin } from '../origin.ts';
import { runFollowUp } from '../follow-up.ts';

/**
 * `/account/erasure`: erases all personal data of the caller, who must enter the password (decision 0044).
 */
export function erasureRoutes({
  commands,
  authentication,
  sessions,
  passwords,
  log,
}: Dependencies<'commands' | 'authentication' | 'sessions' | 'passwords' | 'log'>) {
  const router = createOperationRouter();
  router.on('eraseMe', async (req, res) => {
    const { account: caller } = await authentication.require(req);
    const { password } = getInput(req);
    if (!(await passwords.matches(caller.passwordHash, password))) throw new DomainError('WRONG_PASSWORD');
    // The request is rejected if the account is not verified, because its e-mail address may belong to another person
    // (decision 0022).
    if (!caller.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
    const { accountId } = caller;
    const origin = createAccountOrigin(accountId, res);
    const request = { accountId, receiptId: createObjectId(origin), by: 'self', reason: null } as const;
    const handled = await commands.execute(person, accountId, requestErasure, request, origin);
    // If the sessions cannot be ended here, a later step of the erasure ends them.
    await runFollowUp(log, 'end sessions', () => sessions.revokeAll(accountId));
    setPosition(res, handled);
    res.status(202).setHeader('Cache-Control', 'no-store').json(createReceipt(handled.state));
  });
  return router;
}

/**
 * Operations with which admins erase the data of a person, or set or lift a legal hold. The account may already be
 * closed.
 */
export function personAdminRoutes({
  commands,
  authentication,
  sessions,
  log,
}: Dependencies<'commands' | 'authentication' | 'sessions' | 'passwords' | 'log'>) {
  const router = createOperationRouter();

  /**
   * Throws USER_NOT_FOUND if the account never existed. Also throws USER_NOT_FOUND for a stand-in account, which a
   * repeated sign-up with an existing e-mail address has created (decision 0022). Throws OTHER_EMAIL if an address is
   * given that is not the address of the open account. The address of a closed account is not checked.
   */
  async function requirePerson(accountId: string, email?: string): Promise<void> {
    const { state, revision } = await commands.load(account, accountId);
    if (revision < 0 || (state && isStandIn(state))) throw new DomainError('USER_NOT_FOUND');
    if (state && email !== undefined && email !== state.email) throw new DomainError('OTHER_EMAIL');
  }

  router.on('erasePerson', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { id: accountId } = getPath(req);
    if (accountId === admin.account.accountId) throw new DomainError('OWN_ACCOUNT');
    const { reason, email } = getInput(req);
    await requirePerson(accountId, email);
    const origin = createOrigin(admin, res);
    const request = { accountId, receiptId: createObjectId(origin), by: 'admin', reason } as const;
    const handled = await commands.execute(person, accountId, requestErasure, request, origin);
    await runFollowUp(log, 'end sessions', () => sessions.revokeAll(accountId));
    setPosition(res, handled);
    res.status(202).setHeader('Cache-Control', 'no-store').json(createReceipt(handled.state));
  });

  /** Creates the handler that sets or lifts a legal hold. A legal hold forbids the erasure of a person's data. */
  const createHoldHandler =
    (decide: typeof setLegalHold, message: string): OperationHandler<'setLegalHold' | 'liftLegalHold'> =>
    async (req, res) => {
      const admin = await authentication.requireAdmin(req);
      const { id: accountId } = getPath(req);
      const { reason } = getInput(req);
      await requirePerson(accountId);
      const command = { reason, accountId };
      setPosition(res, await commands.execute(person, accountId, decide, command, createOrigin(admin, res)));
      res.json({ success: true, message });
    };
  router.on('setLegalHold', createHoldHandler(setLegalHold, 'Everything held about this account is kept'));
  router.on('liftLegalHold', createHoldHandler(liftLegalHold, 'The legal hold is lifted'));

  return router;
}

/**
 * Returns the response with the receipt of an erasure. With the receipt, a client can read the progress of the erasure.
 */
function createReceipt({ erasure }: PersonState): ResponseOf<'eraseMe'> {
  if (!erasure) throw new Error('The requested erasure is missing');
  const { receiptId, requestedAt, completedSteps } = erasure;
  const steps = completedSteps.map(({ step, at }) => ({ step, at }));
  const data = { receiptId, requestedAt, status: 'under_way', steps, completedAt: null } as const;
  return { success: true, message: 'Everything held about this account is being erased', data };
}
