import {
  comparePositions,
  DomainError,
  parseCaseId,
  parseCaseSubject,
  parseSubject,
  POSITION_WAIT_MAX_ms,
  SUBJECT_KINDS,
  toCaseId,
  UNKNOWN_ID_WAIT_MAX_ms,
  type LogEntryView,
  type ResponseOf,
  type Position,
  type Subject,
} from '@alpenglow/domain';
import {
  DECISIONS,
  toDailyRootView,
  toInclusionProofView,
  toLogEntryView,
  createOperationRouter,
  getPath,
  getQuery,
  hashPeople,
  pollUntil,
  waitForPosition,
  type Pool,
} from '@alpenglow/infra';
import * as z from 'zod/mini';
import { sendUncached } from '../../send-uncached.ts';
import { cutPage } from '../../paging.ts';
import { readNames } from '../../read-names.ts';
import { recordRead } from '../../record-read.ts';
import type { Dependencies } from '../../dependencies.ts';
import { readTitles } from '../../moderation/subject-titles.ts';

type LogReadDependencies = Dependencies<'pool' | 'auditLog' | 'authentication' | 'staffReads'>;

const ACCOUNT_ID = /^[\w-]{1,64}$/u;

/** The API operations with which moderators read the moderation log. */
export function logRoutes({ pool, auditLog, authentication, staffReads }: LogReadDependencies) {
  const router = createOperationRouter();
  const wait = waitForPosition(createLogProgress(auditLog), ['the audit chain']);

  router.on('listLogEntries', wait, async (req, res) => {
    const staff = await authentication.requireModerator(req);
    const { type, actor, cursor, limit } = getQuery(req);
    const [found, { events, lastEntry }] = await Promise.all([
      auditLog.listEntries({
        type,
        actorId: actor,
        before: cursor === null ? null : Number(cursor),
        limit: limit + 1,
      }),
      auditLog.head(),
    ]);
    const { rows, nextCursor } = cutPage(found, limit, ({ entry }) => String(entry.number));
    const data = rows.map(toLogEntryView);
    const names = await readNames(pool, data.flatMap(listMentionedIds));
    if (names.size > 0)
      await recordRead({ staffReads }, res, staff, 'listLogEntries', {
        subjectId: null,
        people: names.size,
        peopleHash: hashPeople([...names.keys()]),
      });
    sendUncached(res, {
      success: true,
      data,
      nextCursor,
      names: Object.fromEntries(names),
      subjects: await readSubjects(pool, data),
      chain: { events, entries: lastEntry?.number ?? 0 },
    });
  });

  router.on('getLogProof', wait, async (req, res) => {
    await authentication.requireModerator(req);
    const { eventId } = getPath(req);
    const proof = await auditLog.findProof(eventId);
    // A log entry without an inclusion proof is not an error, because the proof is created later. Until then, the
    // response contains null.
    if (!proof && (await auditLog.findEntries([eventId])).size === 0) throw new DomainError('NOT_FOUND');
    sendUncached(res, { success: true, data: proof && toInclusionProofView(proof) });
  });

  return router;
}

/**
 * Returns the progress of the moderation log, which the audit chain writes. No wait is useful while the chain is
 * stopped and needs an operator.
 */
function createLogProgress(auditLog: LogReadDependencies['auditLog']): Parameters<typeof waitForPosition>[0] {
  async function waitUntil(
    position: Position,
    timeout_ms: number,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<boolean> {
    const hasReached = async () => {
      const { position: reached } = await auditLog.head();
      return comparePositions(reached, position) >= 0 || (await auditLog.isStopped()) ? true : null;
    };
    return (await pollUntil(hasReached, { timeout_ms, signal })) === true;
  }
  return {
    hasReached: () => false,
    waitFor: (_name, position, signal, limit_ms = POSITION_WAIT_MAX_ms) => waitUntil(position, limit_ms, signal),
    waitForHead: async (_names, readHead, signal) =>
      void (await waitUntil(await readHead(), UNKNOWN_ID_WAIT_MAX_ms, signal)),
  };
}

/** Reads the content that log entries are about, and which of their decisions an appeal has reversed. */
async function readSubjects(
  pool: Pool,
  entries: readonly LogEntryView[],
): Promise<ResponseOf<'listLogEntries'>['subjects']> {
  const found = entries.flatMap(({ eventId, facts }) => {
    const subject = findSubjectOf(facts);
    return subject === null ? [] : [{ eventId, subject, decisionId: facts['decisionId'] }];
  });
  const decisionIds = found.flatMap(({ decisionId }) => (typeof decisionId === 'string' ? [decisionId] : []));
  const [{ rows }, titles] = await Promise.all([
    pool.query<{ decision_id: string }>({
      name: 'reversed-decisions',
      text: `select decision_id from ${DECISIONS.table} where decision_id = any($1) and appeal_outcome = 'overturned'`,
      values: [decisionIds],
    }),
    readTitles(
      pool,
      found.map(({ subject }) => subject),
    ),
  ]);
  const reversed = new Set<unknown>(rows.map(({ decision_id }) => decision_id));
  return Object.fromEntries(
    found.map(({ eventId, subject, decisionId }) => [
      eventId,
      { kind: subject.kind, title: titles.get(toCaseId(subject))?.title ?? null, isReversed: reversed.has(decisionId) },
    ]),
  );
}

/** Returns the content that an event is about, or null. Events of ads name the ad, and events of cases the case. */
function findSubjectOf({ subject, adId, caseId }: LogEntryView['facts']): Subject | null {
  if (typeof adId === 'string') return { kind: 'ad', id: adId };
  const id = typeof caseId === 'string' ? parseCaseId(caseId) : null;
  if (id !== null) return parseCaseSubject(id);
  const parsed = storedSubject.safeParse(subject);
  return parsed.success ? parseSubject(parsed.data) : null;
}

const storedSubject = z.object({ kind: z.enum(SUBJECT_KINDS), id: z.string() });

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
    const { cursor, limit } = getQuery(req);
    const found = await auditLog.listRootsBefore(cursor, limit + 1);
    const { rows, nextCursor } = cutPage(found, limit, ({ day }) => day);
    res.json({ success: true, data: rows.map(toDailyRootView), nextCursor });
  });
  return router;
}
