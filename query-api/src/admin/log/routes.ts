import {
  DomainError,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  type DailyRootsAnswer,
  type LogAnswer,
  type ProofAnswer,
} from '@alpenglow/domain';
import {
  dailyRootView,
  inclusionProofView,
  logEntryView,
  parseInput,
  type AuditLog,
  type Authentication,
} from '@alpenglow/infra';
import { Router } from 'express';
import * as z from 'zod/mini';

export interface LogReadDependencies {
  readonly auditLog: AuditLog;
  readonly authentication: Authentication;
}

const BAD_CURSOR = 'This cursor is not one of ours';
const BAD_LIMIT = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}`;
const BAD_FILTER = 'This filter is none of ours';
const limit = z.optional(
  z.string(BAD_LIMIT).check(
    z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT),
    z.refine((text) => Number(text) >= 1 && Number(text) <= LIST_LIMIT_MAX, BAD_LIMIT),
  ),
);
const numbered = z.object({
  type: z.optional(z.string(BAD_FILTER).check(z.regex(/^[A-Za-z]{1,60}$/u, BAD_FILTER))),
  actor: z.optional(z.string(BAD_FILTER).check(z.regex(/^[\w-]{1,64}$/u, BAD_FILTER))),
  cursor: z.optional(z.string(BAD_CURSOR).check(z.regex(/^[1-9][0-9]{0,14}$/u, BAD_CURSOR))),
  limit,
});
/** A day there is, of a year Postgres can read. */
const daily = z.object({ cursor: z.optional(z.iso.date(BAD_CURSOR).check(z.regex(/^2/u, BAD_CURSOR))), limit });
const EVENT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** The moderation log, for moderators; to be mounted at `/admin/log`. */
export function logRoutes({ auditLog, authentication }: LogReadDependencies): Router {
  const router = Router();

  router.get('/', async (req, res) => {
    await authentication.requireModerator(req);
    const { type = null, actor = null, cursor, limit: asked } = parseInput(numbered, req.query);
    const most = Number(asked ?? LIST_LIMIT_DEFAULT);
    const [found, { events, lastEntry }] = await Promise.all([
      auditLog.page({ type, actorId: actor, before: cursor === undefined ? null : Number(cursor), limit: most + 1 }),
      auditLog.head(),
    ]);
    const shown = found.slice(0, most);
    const last = shown.at(-1);
    const nextCursor = found.length > most && last ? String(last.entry.number) : null;
    res
      .setHeader('Cache-Control', 'no-store')
      .json({
        success: true,
        data: shown.map(logEntryView),
        nextCursor,
        chain: { events, entries: lastEntry?.number ?? 0 },
      } satisfies LogAnswer);
  });

  router.get('/:eventId/proof', async (req, res) => {
    await authentication.requireModerator(req);
    const { eventId } = req.params;
    if (!EVENT_ID.test(eventId)) throw new DomainError('NOT_FOUND');
    const proof = await auditLog.proofOf(eventId);
    // Null is a promise that there will be a proof.
    if (!proof && (await auditLog.entriesOf([eventId])).size === 0) throw new DomainError('NOT_FOUND');
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: proof && inclusionProofView(proof) } satisfies ProofAnswer);
  });

  return router;
}

/** What proves the log to whoever wants to know; to be mounted at `/audit`. */
export function rootRoutes({ auditLog }: Pick<LogReadDependencies, 'auditLog'>): Router {
  const router = Router();
  router.get('/roots', async (req, res) => {
    const { cursor, limit: asked } = parseInput(daily, req.query);
    const most = Number(asked ?? LIST_LIMIT_DEFAULT);
    const found = await auditLog.rootsBefore(cursor ?? null, most + 1);
    const shown = found.slice(0, most);
    res.json({
      success: true,
      data: shown.map(dailyRootView),
      nextCursor: found.length > most ? (shown.at(-1)?.day ?? null) : null,
    } satisfies DailyRootsAnswer);
  });
  return router;
}
