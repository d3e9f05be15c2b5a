import {
  AD_ID_PATTERN,
  ARTICLE_SLUG,
  MEDIA_ID,
  parseThreadCode,
  THREAD_ID,
  toPostId,
  type Subject,
} from '@alpenglow/domain';
import { ARTICLES, COMMUNITY_THREADS } from '../../read-models/index.ts';
import { isMissingTable } from './errors.ts';
import type { Pool } from './pool.ts';

/** The language at the beginning of an address. */
const LANGUAGE = /^\/(?:de|fr|it)(?=\/)/u;
const PICTURE = /^\/(?:api\/)?uploads\/(?:photos|video)\/([^/]+)/u;
const AD = /^\/(?:api\/ads|ad|public-ad|provider-ad|escorts\/[^/]+\/[^/]+\/[^/]+)\/([^/]+)$/u;
const THREAD = /^\/(?:api\/)?community\/(?:[^/]+\/)*([^/]+)$/u;
const ARTICLE = /^\/blog\/([^/]+)$/u;

/**
 * Returns the contents that an address of this site shows: a picture or video, an ad, a thread, a post, or the
 * pictures of an article. Returns an article without pictures itself. The result is empty for another page. The read
 * models, which may lag behind the events, find threads and articles.
 */
export async function findLinkedContent(pool: Pool, url: URL): Promise<readonly Subject[]> {
  const path = decodePath(url.pathname).replace(LANGUAGE, '').replace(/\/+$/u, '');
  const mediaId = PICTURE.exec(path)?.[1];
  if (mediaId !== undefined) return MEDIA_ID.test(mediaId) ? [{ kind: 'media', id: mediaId }] : [];
  const adId = AD.exec(path)?.[1];
  if (adId !== undefined) return AD_ID_PATTERN.test(adId) ? [{ kind: 'ad', id: adId }] : [];
  const slug = ARTICLE.exec(path)?.[1];
  if (slug !== undefined) return ARTICLE_SLUG.test(slug) ? findPictures(pool, slug) : [];
  const threadName = THREAD.exec(path)?.[1];
  const threadId = threadName === undefined ? null : await findThreadId(pool, threadName);
  if (threadId === null) return [];
  const number = Number(url.searchParams.get('post') ?? /^#post-(\d{1,7})$/u.exec(url.hash)?.[1] ?? 0);
  return number > 0 && Number.isSafeInteger(number)
    ? [{ kind: 'post', id: toPostId(threadId, number) }]
    : [{ kind: 'thread', id: threadId }];
}

/** Returns the decoded path. Returns it unchanged if its encoding is wrong. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function findPictures(pool: Pool, slug: string): Promise<readonly Subject[]> {
  const rows = await queryUnlessMissing<{ ids: readonly string[] }>(
    pool,
    `select media_ids as ids from ${ARTICLES.table} where slug = $1 and status = 'published'`,
    slug,
  );
  const [row] = rows;
  if (!row) return [];
  const pictures = row.ids.map((id): Subject => ({ kind: 'media', id }));
  return pictures.length > 0 ? pictures : [{ kind: 'article', id: slug }];
}

async function findThreadId(pool: Pool, idOrSlug: string): Promise<string | null> {
  if (THREAD_ID.test(idOrSlug)) return idOrSlug;
  const code = parseThreadCode(idOrSlug);
  if (code === null) return null;
  const [row] = await queryUnlessMissing<{ id: string }>(
    pool,
    `select thread_id as id from ${COMMUNITY_THREADS.table} where code = $1`,
    code,
  );
  return row?.id ?? null;
}

async function queryUnlessMissing<Row extends object>(
  pool: Pool,
  text: string,
  value: string,
): Promise<readonly Row[]> {
  try {
    return (await pool.query<Row>(text, [value])).rows;
  } catch (error) {
    // At the first start, the table may not exist yet.
    if (isMissingTable(error)) return [];
    throw error;
  }
}
