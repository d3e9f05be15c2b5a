import { queryOptions } from '@tanstack/react-query';
import type { AdminArticleView, ArticleStatus, PhotoView, SentBodyOf } from '@alpenglow/domain/contracts';
import { blogKeys, signedInPagedQuery, type Api } from '@alpenglow/ui';
import type { ArticleFields } from './article-values.ts';

/**
 * An article with its revision. The server rejects a write if the article has changed since that revision.
 */
export interface LoadedArticle {
  readonly article: AdminArticleView;
  /** Revision of the article, which is the `ETag` header of the response. */
  readonly revision: string | null;
}

const ADMIN = [...blogKeys.all, 'admin'] as const;

const pathOf = (slug: string) => `/admin/blog/articles/${encodeURIComponent(slug)}` as const;

type ArticleWrite =
  | 'reviseArticle'
  | 'correctArticle'
  | 'publishArticle'
  | 'unscheduleArticle'
  | 'withdrawArticle'
  | 'discardArticle';

/** Returns functions for the blog requests that only admins may send. */
export function adminBlogRequests(api: Api) {
  const write = async (
    method: 'POST' | 'PUT' | 'DELETE',
    { article, revision }: LoadedArticle,
    action: '' | '/correct' | '/publish' | '/unschedule' | '/withdraw',
    body?: SentBodyOf<ArticleWrite>,
  ) => {
    await api.requestWithToken<ArticleWrite>({
      method,
      path: `${pathOf(article.slug)}${action}`,
      ...(body !== undefined && { body }),
      ...(revision !== null && { headers: { 'If-Match': revision } }),
    });
  };
  return {
    async load(slug: string, signal?: AbortSignal): Promise<LoadedArticle> {
      let revision: string | null = null;
      const onHeaders = (headers: Headers) => {
        revision = headers.get('etag');
      };
      const response = await api.requestWithToken<'getArticleAsAdmin'>({ path: pathOf(slug), signal, onHeaders });
      return { article: response.data, revision };
    },
    /** Creates a draft and returns its slug. Requests with the same `key` create only one draft. */
    async draft(slug: string, fields: ArticleFields, key: string): Promise<string> {
      const response = await api.requestWithToken<'draftArticle'>({
        method: 'POST',
        path: '/admin/blog/articles',
        body: { slug, ...fields },
        headers: { 'Idempotency-Key': key },
      });
      return response.data.slug;
    },
    revise: (loaded: LoadedArticle, fields: ArticleFields) => write('PUT', loaded, '', fields),
    correct: (loaded: LoadedArticle, fields: ArticleFields, note: string) =>
      write('POST', loaded, '/correct', { ...fields, note }),
    /** Publishes the article at `publishAt` (ISO 8601), or immediately if it is null. */
    publish: (loaded: LoadedArticle, publishAt: string | null) => write('POST', loaded, '/publish', { publishAt }),
    unschedule: (loaded: LoadedArticle) => write('POST', loaded, '/unschedule'),
    withdraw: (loaded: LoadedArticle, reason: string) => write('POST', loaded, '/withdraw', { reason }),
    discard: (loaded: LoadedArticle) => write('DELETE', loaded, ''),
    async preview(body: string, signal?: AbortSignal): Promise<string> {
      const response = await api.requestWithToken<'previewArticle'>({
        method: 'POST',
        path: '/admin/blog/preview',
        body: { body },
        signal,
      });
      return response.data.html;
    },
  };
}
export type AdminBlogRequests = ReturnType<typeof adminBlogRequests>;

/** Returns the query for the articles with this status, or for all articles if `status` is null. */
export function adminArticlesQuery(api: Api, status: ArticleStatus | null) {
  return signedInPagedQuery<'listArticlesAsAdmin'>(api, [...ADMIN, 'list', status], '/admin/blog/articles', { status });
}

/**
 * Returns the query that loads an article into the editor. The query runs each time an editor opens. It is not repeated
 * while the editor is open, because new data would replace the text that the admin is writing.
 */
export function editArticleQuery(api: Api, slug: string) {
  return queryOptions({
    queryKey: [...ADMIN, 'edit', slug],
    queryFn: ({ signal }) => adminBlogRequests(api).load(slug, signal),
    staleTime: 'static',
    gcTime: 0,
  });
}

const FIRST_POLL_ms = 800;
const POLL_MAX_ms = 15_000;
/**
 * Returns the delay before the next poll of a cover picture that the server is processing. The delay doubles after each
 * poll, up to 15 s.
 */
export const getPollDelay_ms = (polls: number): number =>
  Math.min(POLL_MAX_ms, FIRST_POLL_ms * 2 ** Math.min(polls, 8));

/**
 * Returns the query that polls the cover picture of an article until the server has processed the picture. `shown` is
 * the cover picture that the page shows.
 */
export function coverQuery(api: Api, slug: string, shown: PhotoView | null) {
  return queryOptions({
    queryKey: [...ADMIN, 'cover', slug, shown?.id ?? null],
    queryFn: async ({ signal }) => (await adminBlogRequests(api).load(slug, signal)).article.cover,
    enabled: shown?.status === 'processing',
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data?.status === 'processing' ? getPollDelay_ms(state.dataUpdateCount) : false,
    gcTime: 0,
  });
}

/** Returns the query for the rendered HTML of a Markdown text. */
export function previewQuery(api: Api, body: string) {
  return queryOptions({
    queryKey: [...ADMIN, 'preview', body],
    queryFn: ({ signal }) => adminBlogRequests(api).preview(body, signal),
    staleTime: 'static',
    gcTime: 60_000,
  });
}
