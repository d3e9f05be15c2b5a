import {
  accountAsOf,
  accountTelling,
  AD_ID,
  adAsOf,
  adTelling,
  DomainError,
  isOfAd,
  postsAsOf,
  THREAD_ID,
  threadAsOf,
  threadTelling,
  toDomainEvent,
  type AccountAsOfAnswer,
  type AdAsOfAnswer,
  type AdRankAnswer,
  type AdTold,
  type ErrorCode,
  type EventStore,
  type HistoryAnswer,
  type ThreadAsOfAnswer,
} from '@alpenglow/domain';
import {
  requestIdOf,
  waitForPosition,
  type Authentication,
  type Pool,
  type Principal,
  type ReadModelProgress,
  type StaffReads,
} from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { actorsOf, entryOf, readNames } from './history-entries.ts';
import { sendHistoryFile } from './history-export.ts';
import { parseHistoryQuery, parseMoments, parsePostNumber } from './history-query.ts';
import { createRankReader } from './rank-reader.ts';
import { readMoment, readPage, type Thing } from './told-stream.ts';

export interface HistoryDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly staffReads: StaffReads;
  readonly hiddenAdIds: readonly string[];
}

const ACCOUNT_ID = /^[\w-]{1,80}$/u;
const POSTS_SHOWN = 50;
/** What must have heard of an ad for its history to be found. */
const OF_ADS = ['ad_owners'];

/** A thing, and the account of whoever it is of: reads of it are noted as reads of theirs, so that they are told of them. */
interface Owned<State> {
  readonly ownerId: string;
  readonly thing: Thing<State>;
}

/** Histories and how things stood, for staff, to be mounted at `/admin`. Each read is in the log of staff reads (design, trust and privacy). */
export function historyRoutes(deps: HistoryDependencies): Router {
  const { pool, store, authentication, progress, staffReads } = deps;
  const ranks = createRankReader(deps);
  const router = Router();

  const note = (res: Response, { account }: Principal, what: string, ownerId: string, people: number) =>
    staffReads.note({ staffId: account.accountId, what, subjectId: ownerId, people, requestId: requestIdOf(res) });

  /** A page of a history, or all of it as a file. Its owner is one of the people whose data are told, whoever acted another. */
  async function sendHistory<State>(
    req: Request,
    res: Response,
    staff: Principal,
    what: string,
    id: string,
    { ownerId, thing }: Owned<State>,
    unknown: ErrorCode,
  ): Promise<void> {
    const query = parseHistoryQuery(req.query);
    const { page, nextCursor } = await readPage(store, thing, query);
    if (page.length === 0 && query.before === null && query.type === null) throw new DomainError(unknown);
    if (query.format !== null) {
      await note(res, staff, what, ownerId, 1);
      await sendHistoryFile(
        res,
        { store, pool, thing, type: query.type },
        { name: `history-${id}`, format: query.format },
      );
      return;
    }
    const actors = actorsOf(page);
    const names = await readNames(pool, actors);
    await note(res, staff, what, ownerId, Math.max(1, new Set(actors).size));
    const data = page.map((told) => entryOf(told, thing.telling, names));
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data, nextCursor } satisfies HistoryAnswer);
  }

  /** The events of an ad and whose it is, deleted ones as well. Rejects with AD_NOT_FOUND. */
  async function adNamed(adId: string): Promise<Owned<AdTold>> {
    const { rows } = AD_ID.test(adId)
      ? await pool.query<{ account_id: string }>({
          name: 'history-ad-owner',
          text: 'select account_id from rm.ad_owners where ad_id = $1',
          values: [adId],
        })
      : { rows: [] };
    const ownerId = rows[0]?.account_id;
    if (ownerId === undefined) throw new DomainError('AD_NOT_FOUND');
    return {
      ownerId,
      thing: { stream: `listing-${ownerId}`, isAbout: (event) => isOfAd(event, adId), telling: adTelling },
    };
  }

  router.get<{ id: string }>('/ads/:id/history', waitForPosition(progress, OF_ADS), async (req, res) => {
    const staff = await authentication.requireModerator(req);
    await sendHistory(req, res, staff, 'listAdHistory', req.params.id, await adNamed(req.params.id), 'AD_NOT_FOUND');
  });

  router.get<{ id: string }>(
    '/ads/:id/rank',
    waitForPosition(progress, [...OF_ADS, 'ad_standings', 'ad_cards']),
    async (req, res) => {
      const { id } = req.params;
      await authentication.requireModerator(req);
      const at = parseMoments({ at: req.query['at'] }, new Date().toISOString());
      const { thing } = await adNamed(id);
      const found = await readMoment(store, thing, at);
      if (!found) throw new DomainError('AD_NOT_FOUND');
      const data = await ranks.explain(id, found.state, at.at);
      res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies AdRankAnswer);
    },
  );

  router.get<{ id: string }>('/ads/:id', waitForPosition(progress, OF_ADS), async (req, res) => {
    const { id } = req.params;
    const staff = await authentication.requireModerator(req);
    const moments = parseMoments(req.query, new Date().toISOString());
    const { ownerId, thing } = await adNamed(id);
    const found = await readMoment(store, thing, moments);
    if (!found) throw new DomainError('AD_NOT_FOUND');
    await note(res, staff, 'getAdAsOf', ownerId, 1);
    const data = { id, ownerId, ...found.moment, ad: adAsOf(found.state), difference: found.difference };
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies AdAsOfAnswer);
  });

  /** The events of an account. Rejects with USER_NOT_FOUND for what can be no id of one. */
  const accountNamed = (id: string) => {
    if (!ACCOUNT_ID.test(id)) throw new DomainError('USER_NOT_FOUND');
    return { ownerId: id, thing: { stream: `account-${id}`, isAbout: () => true, telling: accountTelling } };
  };

  router.get<{ id: string }>('/users/:id/history', async (req, res) => {
    const staff = await authentication.requireAdmin(req);
    await sendHistory(req, res, staff, 'listUserHistory', req.params.id, accountNamed(req.params.id), 'USER_NOT_FOUND');
  });

  router.get<{ id: string }>('/users/:id/as-of', async (req, res) => {
    const { id } = req.params;
    const staff = await authentication.requireAdmin(req);
    const found = await readMoment(store, accountNamed(id).thing, parseMoments(req.query, new Date().toISOString()));
    if (!found) throw new DomainError('USER_NOT_FOUND');
    await note(res, staff, 'getUserAsOf', id, 1);
    const data = { id, ...found.moment, account: accountAsOf(found.state), difference: found.difference };
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies AccountAsOfAnswer);
  });

  /** The events of a thread and who began it. Rejects with THREAD_NOT_FOUND. */
  async function threadNamed(id: string) {
    const stream = `thread-${id}`;
    const [first] = THREAD_ID.test(id) ? await store.readStream(stream, { from: 0, limit: 1 }) : [];
    const started = first && toDomainEvent(first);
    if (started?.type !== 'ThreadStarted') throw new DomainError('THREAD_NOT_FOUND');
    return { ownerId: started.data.accountId, thing: { stream, isAbout: () => true, telling: threadTelling } };
  }

  router.get<{ id: string }>('/community/threads/:id/history', async (req, res) => {
    const staff = await authentication.requireModerator(req);
    await sendHistory(
      req,
      res,
      staff,
      'listThreadHistory',
      req.params.id,
      await threadNamed(req.params.id),
      'THREAD_NOT_FOUND',
    );
  });

  router.get<{ id: string }>('/community/threads/:id', async (req, res) => {
    const { id } = req.params;
    const staff = await authentication.requireModerator(req);
    const { query } = req;
    const [moments, from] = [parseMoments(query, new Date().toISOString()), parsePostNumber(query)];
    const { ownerId, thing } = await threadNamed(id);
    const found = await readMoment(store, thing, moments);
    if (!found) throw new DomainError('THREAD_NOT_FOUND');
    const [told, posts] = [threadAsOf(found.state), postsAsOf(found.state, from, POSTS_SHOWN)];
    await note(
      res,
      staff,
      'getThreadAsOf',
      ownerId,
      new Set([ownerId, ...posts.map(({ accountId }) => accountId)]).size,
    );
    const data = { id, ...found.moment, thread: told && { ...told, posts }, difference: found.difference };
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies ThreadAsOfAnswer);
  });

  return router;
}
