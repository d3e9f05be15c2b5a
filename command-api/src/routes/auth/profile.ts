import { account, DomainError } from '@alpenglow/domain';
import { updateProfile } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setPosition } from '@alpenglow/infra';
import { sendResponse, createUserResponse } from './responses.ts';
import type { AuthDependencies } from './dependencies.ts';
import { createAccountOrigin } from '../../origin.ts';

/** `GET` and `PUT /auth/profile`. */
export function profileRoutes(deps: AuthDependencies) {
  const router = createOperationRouter();

  router.on('getProfile', async (req, res) => {
    const { account: state } = await deps.authentication.require(req);
    sendResponse(res, createUserResponse(state, deps, 'Your profile'));
  });

  router.on('updateProfile', async (req, res) => {
    const { accountId } = (await deps.authentication.require(req)).account;
    const fields = getInput(req);
    const origin = createAccountOrigin(accountId, res);
    const handled = await deps.commands.execute(account, accountId, updateProfile, fields, origin);
    if (!handled.state) throw new DomainError('AUTHENTICATION_REQUIRED');
    setPosition(res, handled);
    sendResponse(res, createUserResponse(handled.state, deps, 'Profile updated'));
  });

  return router;
}
