import { account, DomainError } from '@alpenglow/domain';
import { consumeTwoStepCode } from '@alpenglow/domain/deciders';
import { createOperationRouter, describeSessionClient, getInput, twoStepCodes } from '@alpenglow/infra';
import { createAccountOrigin } from '../../origin.ts';
import type { AuthDependencies } from './dependencies.ts';
import { sendResponse } from './responses.ts';

/**
 * `/auth/sessions`, `POST /auth/confirm` and `POST /auth/live-ticket`: the sessions of the signed-in account, the
 * confirmation of its password, and tickets of the live channel.
 */
export function sessionListRoutes(deps: AuthDependencies) {
  const { authentication, commands, hashKey, passwords, sessions } = deps;
  const router = createOperationRouter();

  router.on('listSessions', async (req, res) => {
    const { account: caller, sessionId: currentId } = await authentication.require(req);
    const { networkHash: currentNetwork } = describeSessionClient(req, hashKey);
    const data = (await sessions.list(caller.accountId)).map(({ sessionId, networkHash, ...times }) => ({
      id: sessionId,
      ...times,
      isCurrent: sessionId === currentId,
      isSameNetwork: networkHash === currentNetwork,
    }));
    sendResponse(res, { success: true, data });
  });

  router.on('endSession', async (req, res) => {
    const { account: caller } = await authentication.require(req);
    if (!(await sessions.revokeById(caller.accountId, req.params.id))) throw new DomainError('SESSION_NOT_FOUND');
    sendResponse(res, { success: true, message: 'The session has ended' });
  });

  router.on('endOtherSessions', async (req, res) => {
    const { account: caller, sessionId } = await authentication.require(req);
    await sessions.revokeOthers(caller.accountId, sessionId);
    sendResponse(res, { success: true, message: 'All other sessions have ended' });
  });

  router.on('confirmSession', async (req, res) => {
    const { account: caller, sessionId } = await authentication.require(req);
    const { password, code = '' } = getInput(req);
    if (!(await passwords.matches(caller.passwordHash, password))) throw new DomainError('WRONG_PASSWORD');
    const command = { code, codeVerifier: twoStepCodes };
    const { accountId } = caller;
    await commands.execute(account, accountId, consumeTwoStepCode, command, createAccountOrigin(accountId, res));
    await sessions.confirm(sessionId);
    sendResponse(res, { success: true, message: 'Thank you' });
  });

  router.on('issueLiveTicket', async (req, res) => {
    const { sessionId } = await authentication.require(req);
    sendResponse(res, { success: true, data: { ticket: await sessions.issueLiveTicket(sessionId) } });
  });

  return router;
}
