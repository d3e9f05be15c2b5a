import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  AdminArticleAnswer,
  AdminArticlesAnswer,
  AdminArticleView,
  ArticleWriteAnswer,
  PhotoView,
  PreviewAnswer,
} from '@alpenglow/domain/contracts';
import { blogKeys, type Api } from '@alpenglow/ui';

export const STATUSES = ['draft', 'scheduled', 'published', 'withdrawn'] as const;
export type Status = AdminArticleView['status'];

/** An article, and the state of it that was seen: writes are refused when it has changed since. */
export interface LoadedArticle {
  readonly article: AdminArticleView;
  /** The answer's `ETag`. */
  readonly revision: string | null;
}

/** What a write takes of the form. */
export interface ArticleFields {
  readonly title: string;
  readonly summary: string;
  readonly body: string;
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  readonly cover: string | null;
}

const ADMIN = [...blogKeys.all, 'admin'] as const;

const pathOf = (slug: string) => `/admin/blog/articles/${encodeURIComponent(slug)}`;

/** The calls of the blog that only admins make. */
export function blogCalls(api: Api) {
  const write = async (
    method: 'POST' | 'PUT' | 'DELETE',
    { article, revision }: LoadedArticle,
    action: string,
    body?: unknown,
  ) => {
    await api.callSignedIn<ArticleWriteAnswer>({
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
      const answer = await api.callSignedIn<AdminArticleAnswer>({ path: pathOf(slug), signal, onHeaders });
      return { article: answer.data, revision };
    },
    /** Answers the address the draft has got. `key` makes a second attempt the same one. */
    async draft(slug: string, fields: ArticleFields, key: string): Promise<string> {
      const answer = await api.callSignedIn<ArticleWriteAnswer>({
        method: 'POST',
        path: '/admin/blog/articles',
        body: { slug, ...fields },
        headers: { 'Idempotency-Key': key },
      });
      return answer.data.slug;
    },
    revise: (of: LoadedArticle, fields: ArticleFields) => write('PUT', of, '', fields),
    correct: (of: LoadedArticle, fields: ArticleFields, note: string) =>
      write('POST', of, '/correct', { ...fields, note }),
    /** At `publishAt`, ISO 8601; null: now. */
    publish: (of: LoadedArticle, publishAt: string | null) => write('POST', of, '/publish', { publishAt }),
    unschedule: (of: LoadedArticle) => write('POST', of, '/unschedule'),
    withdraw: (of: LoadedArticle, reason: string) => write('POST', of, '/withdraw', { reason }),
    discard: (of: LoadedArticle) => write('DELETE', of, ''),
    async preview(body: string, signal?: AbortSignal): Promise<string> {
      const answer = await api.callSignedIn<PreviewAnswer>({
        method: 'POST',
        path: '/admin/blog/preview',
        body: { body },
        signal,
      });
      return answer.data.html;
    },
  };
}
export type BlogCalls = ReturnType<typeof blogCalls>;

/** Articles in one state, or in any, the one changed last first. */
export function adminArticlesQuery(api: Api, status: Status | null) {
  return infiniteQueryOptions({
    queryKey: [...ADMIN, 'list', status],
    queryFn: ({ pageParam, signal }) => {
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries({ status, cursor: pageParam }))
        if (value !== null) search.set(name, value);
      return api.callSignedIn<AdminArticlesAnswer>({
        path: `/admin/blog/articles${search.size === 0 ? '' : `?${search.toString()}`}`,
        signal,
      });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** An article to be changed: asked for each time an editor opens, and never again while it stands, which would be under the writer’s hands. */
export function articleToEditQuery(api: Api, slug: string) {
  return queryOptions({
    queryKey: [...ADMIN, 'edit', slug],
    queryFn: ({ signal }) => blogCalls(api).load(slug, signal),
    staleTime: 'static',
    gcTime: 0,
  });
}

const FIRST_LOOK_ms = 800;
const LAST_LOOK_ms = 15_000;
/** How long until a cover in the making is looked at again: ever more seldom. */
export const nextLook_ms = (looks: number): number => Math.min(LAST_LOOK_ms, FIRST_LOOK_ms * 2 ** Math.min(looks, 8));

/** How the cover of an article stands, asked again and again while it is in the making. `shown` is as it stood last. */
export function coverQuery(api: Api, slug: string, shown: PhotoView | null) {
  return queryOptions({
    queryKey: [...ADMIN, 'cover', slug, shown?.id ?? null],
    queryFn: async ({ signal }) => (await blogCalls(api).load(slug, signal)).article.cover,
    enabled: shown?.status === 'processing',
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data?.status === 'processing' ? nextLook_ms(state.dataUpdateCount) : false,
    gcTime: 0,
  });
}

/** Markdown as it will be shown. */
export function previewQuery(api: Api, body: string) {
  return queryOptions({
    queryKey: [...ADMIN, 'preview', body],
    queryFn: ({ signal }) => blogCalls(api).preview(body, signal),
    staleTime: 'static',
    gcTime: 60_000,
  });
}
