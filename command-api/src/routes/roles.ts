import { account, DomainError } from '@alpenglow/domain';
import { grantRole, withdrawRole } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, getPath, setRevision } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createOrigin } from '../origin.ts';

/**
 * `PUT /admin/users/:id/role`: an admin grants a staff role, e.g. moderator, to another account, or withdraws the role
 * (decision 0038).
 */
export function roleRoutes({ commands, authentication }: Dependencies<'commands' | 'authentication'>) {
  const router = createOperationRouter();
  router.on('setRole', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { id: accountId } = getPath(req);
    // Admins must not change their own role, because they could lock themselves out or restore a withdrawn role.
    if (accountId === admin.account.accountId) throw new DomainError('OWN_ROLE');
    const { role, reason } = getInput(req);
    const handled = await commands.handle(
      account,
      accountId,
      (state, context) =>
        role === null ? withdrawRole({ reason }, state, context) : grantRole({ role, reason }, state, context),
      createOrigin(admin, res),
    );
    setRevision(res, handled);
    res.json({
      success: true,
      message: role === null ? 'Role withdrawn' : 'Role granted',
    });
  });
  return router;
}
