import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, type StaffReadsAnswer } from '@alpenglow/domain';
import { parseInput, type Authentication, type StaffReads } from '@alpenglow/infra';
import { Router } from 'express';
import * as z from 'zod/mini';

const BAD_FILTER = 'This filter is none of ours';
const BAD_CURSOR = 'This cursor is not one of ours';
const BAD_LIMIT = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}`;
const query = z.object({
  staff: z.optional(z.string(BAD_FILTER).check(z.regex(/^[\w-]{1,64}$/u, BAD_FILTER))),
  subject: z.optional(z.string(BAD_FILTER).check(z.regex(/^[\w:-]{1,120}$/u, BAD_FILTER))),
  cursor: z.optional(z.string(BAD_CURSOR).check(z.regex(/^[0-9a-f-]{36}$/u, BAD_CURSOR))),
  limit: z.optional(
    z.string(BAD_LIMIT).check(
      z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT),
      z.refine((text) => Number(text) >= 1 && Number(text) <= LIST_LIMIT_MAX, BAD_LIMIT),
    ),
  ),
});

/** The log of what staff have read of personal data, for admins; to be mounted at `/admin/staff-reads`. */
export function staffReadRoutes({
  staffReads,
  authentication,
}: {
  readonly staffReads: StaffReads;
  readonly authentication: Authentication;
}): Router {
  const router = Router();
  router.get('/', async (req, res) => {
    await authentication.requireAdmin(req);
    const { staff = null, subject = null, cursor = null, limit } = parseInput(query, req.query);
    const most = Number(limit ?? LIST_LIMIT_DEFAULT);
    const found = await staffReads.list({ staffId: staff, subjectId: subject, before: cursor, limit: most + 1 });
    const data = found.slice(0, most);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({
        success: true,
        data,
        nextCursor: found.length > most ? (data.at(-1)?.id ?? null) : null,
      } satisfies StaffReadsAnswer);
  });
  return router;
}
