import { DomainError, identity, identityBlobKey } from '@alpenglow/domain';
import {
  ACCOUNTS,
  IDENTITY_CHECKS,
  createSealedBlobs,
  createOperationRouter,
  getQuery,
  summarizeSubjects,
  waitForPosition,
  type Nullable,
  type RowOf,
  type SelectedRow,
} from '@alpenglow/infra';
import { recordRead } from '../../record-read.ts';
import { sendUncached } from '../../send-uncached.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createPage, toPageQuery } from '../../paging.ts';

const PERSON = ACCOUNTS.select(['display_name', 'email'], 'a');
interface CheckRow extends Omit<RowOf<typeof IDENTITY_CHECKS>, 'status'>, Nullable<SelectedRow<typeof PERSON>> {
  readonly status: Exclude<RowOf<typeof IDENTITY_CHECKS>['status'], 'ended'>;
}

/** The API operations with which admins read the identity checks of providers. Every access by an admin is recorded. */
export function identityReadRoutes({
  pool,
  commands,
  authentication,
  blobs,
  dataKeys,
  staffReads,
  progress,
}: Dependencies<'pool' | 'commands' | 'authentication' | 'blobs' | 'dataKeys' | 'staffReads' | 'progress'>) {
  const router = createOperationRouter();
  const sealed = createSealedBlobs({ blobs, dataKeys });

  router.on('listIdentityChecks', waitForPosition(progress, ['identity_checks', 'accounts']), async (req, res) => {
    const { account: admin } = await authentication.requireAdmin(req);
    const { after, limit } = toPageQuery(getQuery(req));
    const { rows } = await pool.query<CheckRow>({
      name: 'identity-checks',
      text: `select c.*, ${PERSON}
        from ${IDENTITY_CHECKS.table} c left join ${ACCOUNTS.table} a using (account_id)
        where c.status <> 'ended' and ($1::timestamptz is null or (c.requested_at, c.account_id) < ($1, $2))
        order by c.requested_at desc, c.account_id desc limit $3`,
      values: [after?.key ?? null, after?.id ?? null, limit + 1],
    });
    const page = createPage(rows, limit, (row) => [row.requested_at, row.account_id]);
    const data = page.rows.map((row) => ({
      accountId: row.account_id,
      displayName: row.display_name,
      email: row.email,
      status: row.status,
      requestedAt: row.requested_at.toISOString(),
      decidedAt: row.decided_at?.toISOString() ?? null,
      files: row.is_destroyed ? 0 : row.files,
    }));
    const subjects = summarizeSubjects(data.map(({ accountId }) => accountId));
    await recordRead({ staffReads }, res, { account: admin }, 'listIdentityChecks', subjects);
    sendUncached(res, { success: true, data, nextCursor: page.nextCursor });
  });

  router.on('getIdentityFile', async (req, res) => {
    const { account: admin } = await authentication.requireAdmin(req);
    const { id: accountId, number } = req.params;
    const { state } = /^[\w-]{1,64}$/u.test(accountId) ? await commands.load(identity, accountId) : { state: null };
    const exists = state !== null && !state.isDestroyed && /^[1-9]$/u.test(number) && Number(number) <= state.files;
    const bytes = exists ? await sealed.get(identityBlobKey(state.checkId, Number(number))) : null;
    if (bytes === null) throw new DomainError('IDENTITY_CHECK_NOT_FOUND');
    await recordRead({ staffReads }, res, { account: admin }, 'getIdentityFile', {
      subjectId: accountId,
      people: 1,
      isRepeatedByPage: false,
    });
    res.setHeader('Cache-Control', 'no-store').type('image/jpeg').send(bytes);
  });
  return router;
}
