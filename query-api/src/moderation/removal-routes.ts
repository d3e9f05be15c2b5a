import {
  countRemoved,
  deadlineOf,
  DomainError,
  isAppealOpen,
  isRemovalWaiting,
  moderationCase,
  removal,
  removalAppealableUntil,
  removalReference,
  toCaseId,
  type RemovalCard,
  type RemovalRequest,
  type RemovalView,
  type StaffRemovalView,
} from '@alpenglow/domain';
import {
  REMOVAL_REQUESTS,
  createOperationRouter,
  getInput,
  getPath,
  getQuery,
  requireRemovalToken,
  waitForPosition,
  type OperationHandler,
  type RowOf,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createPage, toPageQuery } from '../paging.ts';
import { recordRead } from '../record-read.ts';
import { sendUncached } from '../send-uncached.ts';
import { exportRemoval } from './removal-export.ts';
import { readTitles } from './subject-titles.ts';

type RemovalReadDependencies = Dependencies<
  | 'pool'
  | 'store'
  | 'commands'
  | 'auditLog'
  | 'authentication'
  | 'progress'
  | 'staffReads'
  | 'removalTokens'
  | 'backupRetention_days'
>;

type ListedRow = RowOf<typeof REMOVAL_REQUESTS> & { readonly sorted_by: Date };

const DAY_ms = 24 * 60 * 60_000;
const READ_MODELS = ['removal_requests'];

const LISTS = {
  waiting: { by: 'deadline', direction: 'asc', after: '>' },
  closed: { by: 'closed_at', direction: 'desc', after: '<' },
} as const;

/**
 * The API operations that return removal requests: to the person who has asked, with the token of the private page
 * and to moderators.
 */
export function removalReadRoutes(deps: RemovalReadDependencies) {
  const { pool, commands, authentication, progress, removalTokens } = deps;
  const router = createOperationRouter();

  async function load(requestId: string): Promise<RemovalRequest> {
    const { state } = await commands.load(removal, requestId);
    if (state === null) throw new DomainError('REMOVAL_NOT_FOUND');
    return state;
  }

  /** Returns the named contents with the states of their cases. */
  const loadContents = ({ subjects }: RemovalRequest) =>
    Promise.all(
      subjects.map(async (subject) => {
        const caseId = toCaseId(subject);
        const { state } = await commands.load(moderationCase, caseId);
        return { subject, caseId, isHidden: state?.isHidingSubject === true, response: state?.response ?? null };
      }),
    );

  router.on('getRemovalRequest', async (req, res) => {
    const { id } = getPath(req);
    requireRemovalToken(req, id, removalTokens);
    const state = await load(id);
    const contents = await loadContents(state);
    const data: RemovalView = {
      ...toFields(state),
      ...toDetails(state),
      hashCount: state.hashes.length,
      contents: contents.map(({ subject: { kind }, isHidden }) => ({ kind, isHidden })),
      appealableUntil: state.isErased ? null : removalAppealableUntil(state, new Date().toISOString()),
      completed: state.completed && {
        at: state.completed.at,
        removed: countRemoved(state.completed),
        copies: state.completed.copies,
        backupsUntil: new Date(Date.parse(state.completed.at) + deps.backupRetention_days * DAY_ms).toISOString(),
      },
      canAdd: isRemovalWaiting(state),
    };
    sendUncached(res, { success: true, data });
  });

  const list: OperationHandler<'listRemovals'> = async (req, res) => {
    await authentication.requireModerator(req);
    const { state, cursor, limit } = getQuery(req);
    const { after } = toPageQuery({ cursor, limit });
    const { by, direction, after: isAfter } = LISTS[state];
    const { rows } = await pool.query<ListedRow>({
      name: `removals-${state}`,
      text: `select *, ${by} as sorted_by
               from ${REMOVAL_REQUESTS.table}
              where ${state === 'waiting' ? 'deadline is not null' : 'closed_at is not null and deadline is null'}
                and ($1::timestamptz is null or (${by}, request_id) ${isAfter} ($1, $2))
              order by ${by} ${direction}, request_id ${direction} limit $3`,
      values: [after?.key ?? null, after?.id ?? null, limit + 1],
    });
    const page = createPage(rows, limit, ({ sorted_by, request_id }) => [sorted_by, request_id]);
    sendUncached(res, { success: true, data: page.rows.map(toCard), nextCursor: page.nextCursor });
  };
  router.on('listRemovals', waitForPosition(progress, READ_MODELS), list);

  router.on('getRemoval', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const { id } = getPath(req);
    const state = await load(id);
    const contents = await loadContents(state);
    const titles = await readTitles(pool, state.subjects);
    const me = moderator.account.accountId;
    const data: StaffRemovalView = {
      ...toFields(state),
      ...toDetails(state),
      contentCount: state.subjects.length,
      hidesAtOnce: state.hidesAtOnce,
      warnedAfter_h: state.warned_h,
      // The product sends all mails, so moderators need no address to decide.
      email: moderator.user.isAdmin ? state.email : null,
      signature: state.signature,
      hashes: [...state.hashes],
      contents: contents.map((content) => {
        const title = titles.get(content.caseId);
        return {
          ...content,
          title: title?.title ?? null,
          path: title?.staffPath ?? null,
          picture: title?.picture ?? null,
        };
      }),
      completed: state.completed && {
        at: state.completed.at,
        removed: countRemoved(state.completed),
        copies: state.completed.copies,
      },
      canDecide: state.status === 'open' || (isAppealOpen(state) && state.decision?.moderatorId !== me),
    };
    await recordRead(deps, res, moderator, 'getRemoval', { subjectId: id, people: 1 });
    sendUncached(res, { success: true, data });
  });

  router.on('exportRemoval', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { id } = getPath(req);
    const { passphrase } = getInput(req);
    const state = await load(id);
    const file = await exportRemoval(deps, state, passphrase);
    await recordRead(deps, res, admin, 'exportRemoval', { subjectId: id, people: 1, isRepeatedByPage: false });
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Disposition', `attachment; filename="${removalReference(id)}.json.enc"`);
    res.type('application/octet-stream').send(file);
  });

  return router;
}

/** Returns the status as the API shows it: a rejected request with an open appeal is `appealed`. */
const statusOf = (state: RemovalRequest): RemovalCard['status'] => (isAppealOpen(state) ? 'appealed' : state.status);

function toFields(state: RemovalRequest) {
  const { requestId, requestedAt, relation } = state;
  return {
    id: requestId,
    reference: removalReference(requestId),
    status: statusOf(state),
    requestedAt,
    deadline: deadlineOf(state),
    relation,
  };
}

function toDetails({ name, links, notes, decision, appeal, appealDecision, isErased }: RemovalRequest) {
  return {
    name,
    links: [...links],
    notes: [...notes],
    decision: decision && { outcome: decision.outcome, facts: decision.facts, at: decision.at },
    appeal,
    appealDecision: appealDecision && {
      outcome: appealDecision.outcome,
      facts: appealDecision.facts,
      at: appealDecision.at,
    },
    isErased,
  };
}

function toCard(row: ListedRow): RemovalCard {
  return {
    id: row.request_id,
    reference: row.reference,
    status: row.status,
    requestedAt: row.requested_at.toISOString(),
    deadline: row.deadline?.toISOString() ?? null,
    relation: row.relation,
    contentCount: row.content_count,
    hidesAtOnce: row.hides_at_once,
    warnedAfter_h: row.warned_h,
  };
}
