import { account, DomainError, grantRole, roleFields, withdrawRole, type DoneAnswer } from '@alpenglow/domain';
import { jsonBody, parseInput, setRevision, type Authentication, type CommandHandler } from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../ad-input.ts';
import { staffOrigin, userIdOf } from './staff-requests.ts';

export interface RoleDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
}

/** `PUT /admin/users/:id/role`: an admin grants or withdraws what somebody else may do beyond their own account (decision 0038). */
export function roleRoutes({ commands, authentication }: RoleDependencies): Router {
  const router = Router();
  router.put('/users/:id/role', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const accountId = userIdOf(req);
    // Nobody locks themselves out, and nobody keeps what another admin has taken.
    if (accountId === admin.account.accountId) throw new DomainError('OWN_ROLE');
    const { role, reason } = parseInput(roleFields, bodyOf(req));
    const handled = await commands.handle(
      account,
      accountId,
      (state) => (role === null ? withdrawRole(reason, state) : grantRole({ role, reason }, state)),
      staffOrigin(admin, res),
    );
    setRevision(res, handled);
    res.json({ success: true, message: role === null ? 'Role withdrawn' : 'Role granted' } satisfies DoneAnswer);
  });
  return router;
}
