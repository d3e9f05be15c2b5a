import { createHash } from 'node:crypto';
import { DEMO_EMAILS, DEMO_PASSWORD } from '@alpenglow/domain';
import type { Client } from 'pg';
import { createApiClient, PASSWORD, type ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { listAds } from '../support/list-ads.ts';
import { waitForReadModels } from '../support/threads.ts';
import { logIn, send, type MadeData } from './make-data.ts';

type Fields = Readonly<Record<string, unknown>>;

const pick = (from: unknown = {}, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, (from as Fields)[name] ?? null]));
const textOf = (html: unknown) => String(html).replaceAll(/<[^>]*>/gu, '');
const all = <T>(list: unknown, read: (item: T) => unknown) => (list as readonly T[]).map(read);

/**
 * Reads everything that `makeData` has stored, through the API of the product at `url`. The result contains only fields
 * that have the same meaning in every release, so two releases return the same result for the same data.
 */
export async function readData(url: string, made: MadeData) {
  const api = createApiClient(url);
  const admin = await logIn(api, DEMO_EMAILS.admin, DEMO_PASSWORD);
  const client = await logIn(api, made.client.email, PASSWORD);
  const get = async (path: string, token?: string) => (await send(api, 'GET', path, token))['data'] as Fields;
  const ads = [];
  for (const { email, adId } of made.owners) {
    const ad = await get(`/api/ads/${adId}`, await logIn(api, email, PASSWORD));
    ads.push({
      ...pick(ad, 'id', 'title', 'name', 'category', 'state', 'city', 'price', 'description', 'body', 'phone'),
      ...pick(ad, 'isActive', 'isDemo', 'photos', 'createdAt', 'reviewCount', 'averageRating'),
      reviews: all(ad['reviews'], (review) => pick(review, 'name', 'comment', 'rating')),
    });
  }
  const thread = await get(`/api/community/threads/${made.threadId}`, admin);
  const postOf = (post: Fields) => ({
    ...pick(post, 'number', 'status', 'postedAt', 'helpfulCount'),
    text: textOf(post['html']),
    quoted: (post['quote'] as Fields | null)?.['number'] ?? null,
  });
  const cases = [];
  for (const id of made.caseIds) {
    const found = await get(`/api/admin/moderation/cases/${id}`, admin);
    cases.push(
      pick(found, 'id', 'subject', 'state', 'priority', 'reasons', 'reportCount', 'round', 'openedAt', 'isHidden'),
    );
  }
  const decisions = await get('/api/account/decisions', await logIn(api, made.appellant, PASSWORD));
  const { data: checks } = await send(api, 'GET', '/api/admin/identity?limit=100', admin);
  const identities = checks as readonly Fields[];
  const erasure = await get(`/api/account/erasure/${made.erased.receiptId}`);
  return {
    ads,
    photos: await Promise.all(made.photos.map((photo) => hashOf(`${url}${photo}`))),
    favorites: (await send(api, 'GET', `/api/favorites/${made.client.accountId}`, client))['adIds'],
    thread: {
      ...pick(thread, 'title', 'state', 'city', 'replyCount', 'isLocked', 'follow'),
      opening: postOf(thread['opening'] as Fields),
      replies: all(thread['replies'], postOf),
    },
    article: pick(await get(`/api/blog/articles/${made.articleSlug}`), 'slug', 'title', 'summary', 'state', 'tags'),
    cases,
    decisions: all<Fields>(decisions, (decision) => ({
      ...pick(decision, 'id', 'subject', 'outcome', 'facts', 'at', 'isInForce'),
      rule: (decision['rule'] as Fields)['id'],
      appeal: pick(decision['appeal'] ?? {}, 'text', 'filedAt', 'outcome'),
    })),
    identity: {
      ...pick(
        identities.find(({ accountId }) => accountId === made.identityAccountId),
        'status',
        'requestedAt',
        'files',
      ),
      picture: await hashOf(`${url}/api/admin/identity/${made.identityAccountId}/files/1`, admin),
    },
    erasure: pick(erasure, 'receiptId', 'status', 'requestedAt', 'completedAt'),
    erased: await readErased(api, made),
  };
}
export type ReadData = Awaited<ReturnType<typeof readData>>;

/** Returns the statuses of requests for the erased person and their ad. */
async function readErased(api: ApiClient, { erased: { email, adId } }: MadeData): Promise<Fields> {
  const login = await api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } });
  return { login: login.status, ad: (await api.call('GET', `/api/ads/${adId}`)).status };
}

/** Returns the ids of all ads in the public list, sorted by id. */
export async function readPublicAds(url: string): Promise<readonly string[]> {
  return [...(await listAds(createApiClient(url))).keys()].sort();
}

/** A part of the event log: the number of events from its start, and a hash of their content. */
export interface LogState {
  readonly events: number;
  readonly hash: string;
}

/** Returns the state of the event log, or of its first `events` events. */
export async function readLog(database: Client, events?: number): Promise<LogState> {
  const { rows } = await database.query<LogState>(
    `select count(*)::int as events,
            coalesce(md5(string_agg(md5(concat_ws(' ', position, id, stream, revision, type, version, data, meta)), ''
                                    order by position)), '') as hash
       from (select * from es.events order by position limit $1) as first`,
    [events ?? null],
  );
  return rows[0] ?? { events: 0, hash: '' };
}

/** Returns a hash of a file, or the status of a response that is not successful. */
async function hashOf(url: string, token?: string): Promise<string> {
  const response = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) return String(response.status);
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
}

/** Waits until no job is waiting or running, and the read models contain all results. */
export async function waitForJobs(url: string): Promise<void> {
  await waitForReadModels(url);
  const api = createApiClient(url);
  const admin = await logIn(api, DEMO_EMAILS.admin, DEMO_PASSWORD);
  await eventually(async () => {
    const { body } = await api.call('GET', '/api/admin/jobs', { token: admin });
    const queues = body['data'] as readonly { readonly waiting: number; readonly active: number }[];
    if (queues.some(({ waiting, active }) => waiting + active > 0)) throw new Error('Jobs are running');
  });
  await waitForReadModels(url);
}
