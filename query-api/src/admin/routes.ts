import { DomainError } from '@alpenglow/domain';
import { createOperationRouter, getPath, getQuery, summarizeSubjects, waitForPosition } from '@alpenglow/infra';
import { recordRead } from '../record-read.ts';
import { sendUncached } from '../send-uncached.ts';
import type { Dependencies } from '../dependencies.ts';
import { toPageQuery } from '../paging.ts';
import { createCaseReader } from '../moderation/case-reader.ts';
import { createAdminAdReader } from './admin-ad-reader.ts';
import { createCodeReader } from './code-reader.ts';
import { createUserDetailReader } from './user-detail-reader.ts';
import { createUserReader } from './user-reader.ts';

/** The operations with which admins read users, ads and verification codes. */
export function adminReadRoutes(
  deps: Dependencies<
    | 'pool'
    | 'store'
    | 'commands'
    | 'staffReads'
    | 'authentication'
    | 'progress'
    | 'createVerificationCode'
    | 'adminEmail'
    | 'exposeCodes'
    | 'hiddenAdIds'
  >,
) {
  const { authentication, progress } = deps;
  const users = createUserReader(deps);
  const ads = createAdminAdReader(deps);
  const codes = createCodeReader(deps);
  const details = createUserDetailReader({ ...deps, users, ads, codes, cases: createCaseReader(deps) });
  const router = createOperationRouter();

  router.on('listUsers', waitForPosition(progress, ['accounts', 'ad_cards']), async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { users: data, nextCursor, total } = await users.list(getQuery(req));
    await recordRead(deps, res, admin, 'listUsers', summarizeSubjects(data.map(({ id }) => id)));
    sendUncached(res, { success: true, data, nextCursor, total });
  });

  router.on('getUser', waitForPosition(progress, details.readModels), async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const data = await details.find(getPath(req).id, admin.account.accountId);
    if (data === null) throw new DomainError('USER_NOT_FOUND');
    await recordRead(deps, res, admin, 'getUser', summarizeSubjects([data.id]));
    sendUncached(res, { success: true, data });
  });

  router.on('listAdsAsAdmin', waitForPosition(progress, ['accounts', 'ad_cards', 'media_items']), async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { ads: data, nextCursor, total } = await ads.list(getQuery(req));
    await recordRead(deps, res, admin, 'listAdsAsAdmin', summarizeSubjects(data.map(({ ownerId }) => ownerId)));
    sendUncached(res, { success: true, data, nextCursor, total });
  });

  router.on(
    'listVerificationCodes',
    waitForPosition(progress, ['accounts', 'verification_codes']),
    async (req, res) => {
      const admin = await authentication.requireAdmin(req);
      const { codes: data, nextCursor } = await codes.list(toPageQuery(getQuery(req)));
      await recordRead(deps, res, admin, 'listVerificationCodes', summarizeSubjects(data.map(({ userId }) => userId)));
      sendUncached(res, { success: true, data, nextCursor });
    },
  );

  return router;
}
