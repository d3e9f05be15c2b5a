import {
  DomainError,
  type DailyRootsResponse,
  type LogEntryView,
  type LogResponse,
  type ProofResponse,
} from '@alpenglow/domain';
import {
  toDailyRootView,
  toInclusionProofView,
  toLogEntryView,
  createOperationRouter,
  parseInput,
} from '@alpenglow/infra';
import * as z from 'zod/mini';
import { sendUncached } from '../../send-uncached.ts';
import { cutPage } from '../../cut-page.ts';
import { readNames } from '../../read-names.ts';
import { recordRead } from '../../record-read.ts';
import { BAD_CURSOR, BAD_FILTER, listLimit } from '../../query-fields.ts';
import type { Dependencies } from '../../dependencies.ts';

type LogReadDependencies = Dependencies<'pool' | 'auditLog' | 'authentication' | 'staffReads'>;

const entriesQuery = z.object({
  type: z.optional(z.string(BAD_FILTER).check(z.regex(/^[A-Za-z]{1,60}$/u, BAD_FILTER))),
  actor: z.optional(z.string(BAD_FILTER).check(z.regex(/^[\w-]{1,64}$/u, BAD_FILTER))),
  cursor: z.optional(z.string(BAD_CURSOR).check(z.regex(/^[1-9][0-9]{0,14}$/u, BAD_CURSOR))),
  limit: listLimit,
});
/**
 * The query parameters for the list of daily root hashes of the moderation log. The cursor is a day. Its year is
 * limited to values that Postgres supports.
 */
const rootsQuery = z.object({
  cursor: z.optional(z.iso.date(BAD_CURSOR).check(z.regex(/^2/u, BAD_CURSOR))),
  limit: listLimit,
});
const ACCOUNT_ID = /^[\w-]{1,64}$/u;
const EVENT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** The API operations with which moderators read the moderation log. */
export function logRoutes({ pool, auditLog, authentication, staffReads }: LogReadDependencies) {
  const router = createOperationRouter();

  router.on('listLogEntries', async (req, res) => {
    const staff = await authentication.requireModerator(req);
    const { type = null, actor = null, cursor, limit } = parseInput(entriesQuery, req.query);
    const [found, { events, lastEntry }] = await Promise.all([
      auditLog.listEntries({
        type,
        actorId: actor,
        before: cursor === undefined ? null : Number(cursor),
        limit: limit + 1,
      }),
      auditLog.head(),
    ]);
    const { rows, nextCursor } = cutPage(found, limit, ({ entry }) => String(entry.number));
    const data = rows.map(toLogEntryView);
    const names = await readNames(pool, data.flatMap(listMentionedIds));
    if (names.size > 0)
      await recordRead({ staffReads }, res, staff, 'listLogEntries', { subjectId: null, people: names.size });
    sendUncached<LogResponse>(res, {
      success: true,
      data,
      nextCursor,
      names: Object.fromEntries(names),
      chain: { events, entries: lastEntry?.number ?? 0 },
    });
  });

  router.on('getLogProof', async (req, res) => {
    await authentication.requireModerator(req);
    const { eventId } = req.params;
    if (!EVENT_ID.test(eventId)) throw new DomainError('NOT_FOUND');
    const proof = await auditLog.findProof(eventId);
    // A log entry without an inclusion proof is not an error, because the proof is created later. Until then, the
    // response contains null.
    if (!proof && (await auditLog.findEntries([eventId])).size === 0) throw new DomainError('NOT_FOUND');
    sendUncached<ProofResponse>(res, { success: true, data: proof && toInclusionProofView(proof) });
  });

  return router;
}

/**
 * Returns the texts of a log entry that may be account ids: its actor, the id in the name of its stream, and its facts.
 */
function listMentionedIds({ actor, stream, facts }: LogEntryView): readonly string[] {
  const texts = Object.values(facts).filter((value) => typeof value === 'string' && ACCOUNT_ID.test(value)) as string[];
  return [...(actor.kind === 'account' ? [actor.id] : []), stream.replace(/^[^-]*-/u, ''), ...texts];
}

/**
 * The public API operation that returns the daily root hashes of the moderation log. With these hashes, anyone can
 * verify the log.
 */
export function dailyRootRoutes({ auditLog }: Pick<LogReadDependencies, 'auditLog'>) {
  const router = createOperationRouter();
  router.on('listDailyRoots', async (req, res) => {
    const { cursor, limit } = parseInput(rootsQuery, req.query);
    const found = await auditLog.listRootsBefore(cursor ?? null, limit + 1);
    const { rows, nextCursor } = cutPage(found, limit, ({ day }) => day);
    res.json({ success: true, data: rows.map(toDailyRootView), nextCursor } satisfies DailyRootsResponse);
  });
  return router;
}
