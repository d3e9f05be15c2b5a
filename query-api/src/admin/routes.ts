import type { AdminAdsAnswer, AdminUsersAnswer, VerificationCodeOf, VerificationCodesAnswer } from '@alpenglow/domain';
import { waitForPosition, type Authentication, type Pool, type ReadModelProgress } from '@alpenglow/infra';
import { Router } from 'express';
import { createAdminAdReader } from './admin-ad-reader.ts';
import { createCodeReader } from './code-reader.ts';
import { parsePageQuery } from './page-query.ts';
import { createUserReader } from './user-reader.ts';

export interface AdminReadDependencies {
  readonly pool: Pool;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly codeOf: VerificationCodeOf;
  readonly adminEmail: string | null;
  readonly hiddenAdIds: readonly string[];
  readonly exposeCodes: boolean;
}

/** The admin calls that read, of the specification, section 7. Each needs an admin. */
export function adminReadRoutes(deps: AdminReadDependencies): Router {
  const { authentication, progress } = deps;
  const users = createUserReader(deps);
  const ads = createAdminAdReader(deps);
  const codes = createCodeReader(deps);
  const router = Router();

  router.get('/users', waitForPosition(progress, ['accounts', 'ad_cards']), async (req, res) => {
    await authentication.requireAdmin(req);
    const { users: data, nextCursor, total } = await users.list(parsePageQuery(req.query));
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data, nextCursor, total } satisfies AdminUsersAnswer);
  });

  router.get('/ads', waitForPosition(progress, ['accounts', 'ad_cards', 'media_items']), async (req, res) => {
    await authentication.requireAdmin(req);
    const { ads: data, nextCursor, total } = await ads.list(parsePageQuery(req.query));
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data, nextCursor, total } satisfies AdminAdsAnswer);
  });

  router.get('/verification-codes', waitForPosition(progress, ['accounts', 'verification_codes']), async (req, res) => {
    await authentication.requireAdmin(req);
    const { cursor, limit } = req.query;
    const { codes: data, nextCursor } = await codes.list(parsePageQuery({ cursor, limit }));
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data, nextCursor } satisfies VerificationCodesAnswer);
  });

  return router;
}
