import { createOperationRouter, getQuery } from '@alpenglow/infra';
import { readNames } from '../../read-names.ts';
import { cutPage } from '../../paging.ts';
import { sendUncached } from '../../send-uncached.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * The API operation with which admins read the log of staff reads. The log records when a member of staff has read
 * personal data.
 */
export function staffReadRoutes({
  pool,
  staffReads,
  authentication,
}: Dependencies<'pool' | 'staffReads' | 'authentication'>) {
  const router = createOperationRouter();
  router.on('listStaffReads', async (req, res) => {
    await authentication.requireAdmin(req);
    const { staff, subject, cursor, limit } = getQuery(req);
    const found = await staffReads.list({ staffId: staff, subjectId: subject, before: cursor, limit: limit + 1 });
    const { rows, nextCursor } = cutPage(found, limit, ({ id }) => id);
    const names = await readNames(
      pool,
      rows.flatMap(({ staffId, subjectId }) => [staffId, subjectId]),
    );
    sendUncached(res, {
      success: true,
      data: [...rows],
      nextCursor,
      names: Object.fromEntries(names),
    });
  });
  return router;
}
