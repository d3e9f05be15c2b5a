import { account, DomainError, profileFields, updateProfile } from '@alpenglow/domain';
import { jsonBody, parseInput, setPosition } from '@alpenglow/infra';
import { Router } from 'express';
import { answer, originOf, userAnswer } from './answers.ts';
import type { AuthDependencies } from './dependencies.ts';

/** `GET` and `PUT /auth/profile` of the product decisions, "Payloads the specification leaves out". */
export function profileRoutes(deps: AuthDependencies): Router {
  const router = Router();

  router.get('/profile', async (req, res) => {
    const { account: state } = await deps.authentication.require(req);
    answer(res, userAnswer(state, deps, 'Your profile'));
  });

  router.put('/profile', jsonBody, async (req, res) => {
    const { accountId } = (await deps.authentication.require(req)).account;
    const fields = parseInput(profileFields, req.body);
    const handled = await deps.commands.handle(
      account,
      accountId,
      (state) => updateProfile(fields, state),
      originOf(accountId, res),
    );
    if (!handled.state) throw new DomainError('AUTHENTICATION_REQUIRED');
    setPosition(res, handled);
    answer(res, userAnswer(handled.state, deps, 'Profile updated'));
  });

  return router;
}
