import {
  DomainError,
  type AdminAdsAnswer,
  type AdminUserAnswer,
  type AdminUsersAnswer,
  type VerificationCodeOf,
  type VerificationCodesAnswer,
} from '@alpenglow/domain';
import {
  requestIdOf,
  shownOf,
  waitForPosition,
  type Authentication,
  type CommandHandler,
  type Pool,
  type Principal,
  type ReadModelProgress,
  type StaffReads,
} from '@alpenglow/infra';
import { Router, type Response } from 'express';
import { createAdminAdReader } from './admin-ad-reader.ts';
import { createCodeReader } from './code-reader.ts';
import { parsePageQuery } from './page-query.ts';
import { parseAdQuery, parseUserQuery } from './sorted-query.ts';
import { createUserDetailReader } from './user-detail-reader.ts';
import { createUserReader } from './user-reader.ts';

export interface AdminReadDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly staffReads: StaffReads;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly codeOf: VerificationCodeOf;
  readonly adminEmail: string | null;
  readonly hiddenAdIds: readonly string[];
  readonly exposeCodes: boolean;
}

/** The admin calls that read, of the specification, section 7. Each needs an admin. */
export function adminReadRoutes(deps: AdminReadDependencies): Router {
  const { authentication, progress, staffReads } = deps;
  const users = createUserReader(deps);
  const ads = createAdminAdReader(deps);
  const codes = createCodeReader(deps);
  const details = createUserDetailReader({ ...deps, users, ads, codes });
  const router = Router();

  /** Keeps who has seen whose data, before they see it. */
  const note = ({ account }: Principal, res: Response, what: string, accountIds: readonly string[]) =>
    staffReads.note({ staffId: account.accountId, what, ...shownOf(accountIds), requestId: requestIdOf(res) });

  router.get('/users', waitForPosition(progress, ['accounts', 'ad_cards']), async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { users: data, nextCursor, total } = await users.list(parseUserQuery(req.query));
    await note(
      admin,
      res,
      'listUsers',
      data.map(({ id }) => id),
    );
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data, nextCursor, total } satisfies AdminUsersAnswer);
  });

  router.get('/users/:id', waitForPosition(progress, details.readModels), async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { id } = req.params;
    const data = await details.find(typeof id === 'string' ? id : '');
    if (data === null) throw new DomainError('USER_NOT_FOUND');
    await note(admin, res, 'getUser', [data.id]);
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies AdminUserAnswer);
  });

  router.get('/ads', waitForPosition(progress, ['accounts', 'ad_cards', 'media_items']), async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { ads: data, nextCursor, total } = await ads.list(parseAdQuery(req.query));
    await note(
      admin,
      res,
      'listAdsAsAdmin',
      data.map(({ ownerId }) => ownerId),
    );
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data, nextCursor, total } satisfies AdminAdsAnswer);
  });

  router.get('/verification-codes', waitForPosition(progress, ['accounts', 'verification_codes']), async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { cursor, limit } = req.query;
    const { codes: data, nextCursor } = await codes.list(parsePageQuery({ cursor, limit }));
    await note(
      admin,
      res,
      'listVerificationCodes',
      data.map(({ userId }) => userId),
    );
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data, nextCursor } satisfies VerificationCodesAnswer);
  });

  return router;
}
