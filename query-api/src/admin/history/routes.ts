import {
  account,
  toAccountSnapshot,
  accountHistoryReducer,
  toAdSnapshot,
  createAdHistoryReducer,
  DomainError,
  isEventOfAd,
  listing,
  toPostSnapshots,
  toStreamId,
  thread,
  toThreadSnapshot,
  threadHistoryReducer,
  toDomainEvent,
  type AdHistoryState,
  type ErrorCode,
  type ResponseOf,
  type RecordedDomainEvent,
} from '@alpenglow/domain';
import type { StaffReadOperation } from '@alpenglow/domain/api';
import {
  AD_OWNERS,
  createOperationRouter,
  getPath,
  getQuery,
  summarizeSubjects,
  waitForPosition,
  type Principal,
} from '@alpenglow/infra';
import type { Response } from 'express';
import { recordRead } from '../../record-read.ts';
import { sendUncached } from '../../send-uncached.ts';
import type { Dependencies } from '../../dependencies.ts';
import { readNames } from '../../read-names.ts';
import { listActors, createHistoryEntry, listChangedAccounts } from './history-entries.ts';
import { sendHistoryFile } from './history-export.ts';
import { toHistoryQuery, toTimeQuery, type HistoryQuery } from './history-query.ts';
import { createRankReader } from './rank-reader.ts';
import { readStateAt, readPage, type HistorySource } from './history-reader.ts';

const POSTS_MAX = 50;
/** The read models that are needed to find the history of an ad. */
const AD_READ_MODELS = ['ad_owners'];

/**
 * The history of an ad, an account or a thread, and the id of the owner's account. A read of the history is recorded as
 * a read of the owner's data. The owner's data export therefore lists the read.
 */
interface Owned<State> {
  readonly ownerId: string;
  readonly thing: HistorySource<State>;
}

/**
 * The API operations with which staff read the history and the past states of ads, accounts and threads. Reads of
 * personal data are recorded in the log of staff reads (T-18).
 */
export function historyRoutes(
  deps: Dependencies<'pool' | 'store' | 'authentication' | 'progress' | 'staffReads' | 'hiddenAdIds'>,
) {
  const { pool, store, authentication, progress } = deps;
  const ranks = createRankReader(deps);
  const router = createOperationRouter();

  /**
   * Sends a page of a history, or the whole history as a file. Records that a member of staff has read data of the
   * owner.
   */
  async function sendHistory<State>(
    query: HistoryQuery,
    res: Response<ResponseOf<'listAdHistory'>>,
    staff: Principal,
    what: StaffReadOperation,
    id: string,
    { ownerId, thing }: Owned<State>,
    notFoundCode: ErrorCode,
  ): Promise<void> {
    const { page, nextCursor } = await readPage(store, thing, query);
    if (page.length === 0 && query.before === null && query.type === null) throw new DomainError(notFoundCode);
    if (query.format !== null) {
      await recordRead(deps, res, staff, what, { subjectId: ownerId, people: 1, isRepeatedByPage: false });
      const file = { name: `history-${id}`, format: query.format };
      await sendHistoryFile(res, { store, pool, thing, type: query.type }, file);
      return;
    }
    const actors = listActors(page);
    const names = await readNames(pool, actors);
    const { people, peopleHash } = summarizeSubjects(actors);
    await recordRead(deps, res, staff, what, { subjectId: ownerId, people: Math.max(1, people), peopleHash });
    const data = page.map((change) => createHistoryEntry(change, thing.fold, names));
    const mentioned = await readNames(pool, listChangedAccounts(data));
    sendUncached<ResponseOf<'listAdHistory'>>(res, {
      success: true,
      data,
      nextCursor,
      names: Object.fromEntries(mentioned),
    });
  }

  /** Finds the history and the owner of an ad, even if the ad was deleted. Rejects with AD_NOT_FOUND. */
  async function findAd(adId: string): Promise<Owned<AdHistoryState>> {
    const { rows } = await pool.query<{ account_id: string }>({
      name: 'history-ad-owner',
      text: `select account_id from ${AD_OWNERS.table} where ad_id = $1`,
      values: [adId],
    });
    const ownerId = rows[0]?.account_id;
    if (ownerId === undefined) throw new DomainError('AD_NOT_FOUND');
    const includes = (event: RecordedDomainEvent) => isEventOfAd(event, adId);
    return { ownerId, thing: { stream: toStreamId(listing, ownerId), includes, fold: createAdHistoryReducer(adId) } };
  }

  router.on('listAdHistory', waitForPosition(progress, AD_READ_MODELS), async (req, res) => {
    const staff = await authentication.requireModerator(req);
    const { id } = getPath(req);
    const found = await findAd(id);
    await sendHistory(toHistoryQuery(getQuery(req)), res, staff, 'listAdHistory', id, found, 'AD_NOT_FOUND');
  });

  router.on(
    'explainAdRank',
    waitForPosition(progress, [...AD_READ_MODELS, 'ad_standings', 'ad_cards']),
    async (req, res) => {
      await authentication.requireModerator(req);
      const at = toTimeQuery(getQuery(req));
      const { id } = getPath(req);
      const { thing } = await findAd(id);
      const found = await readStateAt(store, thing, at);
      if (!found) throw new DomainError('AD_NOT_FOUND');
      const data = await ranks.explain(id, found.state, at.at);
      sendUncached(res, { success: true, data });
    },
  );

  router.on('getAdAsOf', waitForPosition(progress, AD_READ_MODELS), async (req, res) => {
    const staff = await authentication.requireModerator(req);
    const moments = toTimeQuery(getQuery(req));
    const { id } = getPath(req);
    const { ownerId, thing } = await findAd(id);
    const found = await readStateAt(store, thing, moments);
    if (!found) throw new DomainError('AD_NOT_FOUND');
    await recordRead(deps, res, staff, 'getAdAsOf', { subjectId: ownerId, people: 1 });
    const data = { id, ownerId, ...found.moment, ad: toAdSnapshot(found.state), difference: found.difference };
    sendUncached(res, { success: true, data });
  });

  /** Returns the history of an account. */
  const findAccount = (id: string) => ({
    ownerId: id,
    thing: { stream: toStreamId(account, id), includes: () => true, fold: accountHistoryReducer },
  });

  router.on('listUserHistory', async (req, res) => {
    const staff = await authentication.requireAdmin(req);
    const { id } = getPath(req);
    const found = findAccount(id);
    await sendHistory(toHistoryQuery(getQuery(req)), res, staff, 'listUserHistory', id, found, 'USER_NOT_FOUND');
  });

  router.on('getUserAsOf', async (req, res) => {
    const staff = await authentication.requireAdmin(req);
    const { id } = getPath(req);
    const found = await readStateAt(store, findAccount(id).thing, toTimeQuery(getQuery(req)));
    if (!found) throw new DomainError('USER_NOT_FOUND');
    await recordRead(deps, res, staff, 'getUserAsOf', { subjectId: id, people: 1 });
    const data = { id, ...found.moment, account: toAccountSnapshot(found.state), difference: found.difference };
    sendUncached(res, { success: true, data });
  });

  /** Finds the history and the author of a thread. Rejects with THREAD_NOT_FOUND. */
  async function findThread(id: string) {
    const stream = toStreamId(thread, id);
    const [first] = await store.readStream(stream, { from: 0, limit: 1 });
    const started = first && toDomainEvent(first);
    if (started?.type !== 'ThreadStarted') throw new DomainError('THREAD_NOT_FOUND');
    return { ownerId: started.data.accountId, thing: { stream, includes: () => true, fold: threadHistoryReducer } };
  }

  router.on('listThreadHistory', async (req, res) => {
    const staff = await authentication.requireModerator(req);
    const { id } = getPath(req);
    const found = await findThread(id);
    await sendHistory(toHistoryQuery(getQuery(req)), res, staff, 'listThreadHistory', id, found, 'THREAD_NOT_FOUND');
  });

  router.on('getThreadAsOf', async (req, res) => {
    const staff = await authentication.requireModerator(req);
    const { post, ...moments } = getQuery(req);
    const { id } = getPath(req);
    const { ownerId, thing } = await findThread(id);
    const found = await readStateAt(store, thing, toTimeQuery(moments));
    if (!found) throw new DomainError('THREAD_NOT_FOUND');
    const posts = toPostSnapshots(found.state, Number(post ?? 0), POSTS_MAX);
    const threadState = toThreadSnapshot(found.state);
    const { people, peopleHash } = summarizeSubjects([ownerId, ...posts.map(({ accountId }) => accountId)]);
    await recordRead(deps, res, staff, 'getThreadAsOf', { subjectId: ownerId, people, peopleHash });
    const snapshot = threadState && { ...threadState, posts };
    const data = { id, ...found.moment, thread: snapshot, difference: found.difference };
    sendUncached(res, { success: true, data });
  });

  return router;
}
