import { DomainError, identity, identityBlob, type BlobStore, type IdentityChecksAnswer } from '@alpenglow/domain';
import {
  createSealedBlobs,
  requestIdOf,
  shownOf,
  waitForPosition,
  type Authentication,
  type CommandHandler,
  type DataKeys,
  type Pool,
  type ReadModelProgress,
  type StaffReads,
} from '@alpenglow/infra';
import { Router } from 'express';
import { pageOf, parsePageQuery } from '../page-query.ts';

export interface IdentityReadDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
  readonly staffReads: StaffReads;
  readonly progress: ReadModelProgress;
}

interface CheckRow {
  readonly account_id: string;
  readonly display_name: string | null;
  readonly email: string | null;
  readonly files: number;
  readonly status: 'open' | 'accepted' | 'refused';
  readonly requested_at: Date;
  readonly decided_at: Date | null;
  readonly is_destroyed: boolean;
}

/** Requests of providers to be verified, for admins; to be mounted at `/admin/identity`. Every look is noted. */
export function identityReadRoutes({
  pool,
  commands,
  authentication,
  blobs,
  dataKeys,
  staffReads,
  progress,
}: IdentityReadDependencies): Router {
  const router = Router();
  const sealed = createSealedBlobs({ blobs, dataKeys });

  router.get('/', waitForPosition(progress, ['identity_checks', 'accounts']), async (req, res) => {
    const { account: admin } = await authentication.requireAdmin(req);
    const { cursor, limit: asked } = req.query;
    const { after, limit } = parsePageQuery({ cursor, limit: asked });
    const { rows } = await pool.query<CheckRow>({
      name: 'identity-checks',
      text: `select c.*, a.display_name, a.email from rm.identity_checks c left join rm.accounts a using (account_id)
        where c.status <> 'ended' and ($1::timestamptz is null or (c.requested_at, c.account_id) < ($1, $2)) order by c.requested_at desc, c.account_id desc limit $3`,
      values: [after?.at ?? null, after?.id ?? null, limit + 1],
    });
    const page = pageOf(rows, limit, (row) => ({ at: row.requested_at.toISOString(), id: row.account_id }));
    const data = page.rows.map((row) => ({
      accountId: row.account_id,
      displayName: row.display_name,
      email: row.email,
      status: row.status,
      requestedAt: row.requested_at.toISOString(),
      decidedAt: row.decided_at?.toISOString() ?? null,
      files: row.is_destroyed ? 0 : row.files,
    }));
    await staffReads.note({
      staffId: admin.accountId,
      what: 'listIdentityChecks',
      ...shownOf(data.map(({ accountId }) => accountId)),
      requestId: requestIdOf(res),
    });
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data, nextCursor: page.nextCursor } satisfies IdentityChecksAnswer);
  });

  router.get('/:id/files/:number', async (req, res) => {
    const { account: admin } = await authentication.requireAdmin(req);
    const { id: accountId, number } = req.params;
    const { state } = /^[\w-]{1,64}$/u.test(accountId) ? await commands.load(identity, accountId) : { state: null };
    const isThere = state !== null && !state.isDestroyed && /^[1-9]$/u.test(number) && Number(number) <= state.files;
    const bytes = isThere ? await sealed.get(identityBlob(state.checkId, Number(number))) : null;
    if (bytes === null) throw new DomainError('IDENTITY_CHECK_NOT_FOUND');
    await staffReads.note({
      staffId: admin.accountId,
      what: 'getIdentityFile',
      subjectId: accountId,
      people: 1,
      requestId: requestIdOf(res),
    });
    res.setHeader('Cache-Control', 'no-store').type('image/jpeg').send(bytes);
  });
  return router;
}
