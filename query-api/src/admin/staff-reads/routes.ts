import type { StaffReadsResponse } from '@alpenglow/domain';
import { createOperationRouter, parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { readNames } from '../../read-names.ts';
import { sendUncached } from '../../send-uncached.ts';
import { BAD_CURSOR, BAD_FILTER, listLimit } from '../../query-fields.ts';
import type { Dependencies } from '../../dependencies.ts';

const query = z.object({
  staff: z.optional(z.string(BAD_FILTER).check(z.regex(/^[\w-]{1,64}$/u, BAD_FILTER))),
  subject: z.optional(z.string(BAD_FILTER).check(z.regex(/^[\w:-]{1,120}$/u, BAD_FILTER))),
  cursor: z.optional(z.string(BAD_CURSOR).check(z.regex(/^[0-9a-f-]{36}$/u, BAD_CURSOR))),
  limit: listLimit,
});

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
    const { staff = null, subject = null, cursor = null, limit } = parseInput(query, req.query);
    const found = await staffReads.list({ staffId: staff, subjectId: subject, before: cursor, limit: limit + 1 });
    const data = found.slice(0, limit);
    const names = await readNames(
      pool,
      data.flatMap(({ staffId, subjectId }) => [staffId, subjectId]),
    );
    sendUncached<StaffReadsResponse>(res, {
      success: true,
      data,
      nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null,
      names: Object.fromEntries(names),
    });
  });
  return router;
}
