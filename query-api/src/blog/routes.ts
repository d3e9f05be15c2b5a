import { DomainError } from '@alpenglow/domain';
import { createOperationRouter, getPath, getQuery, waitForPosition } from '@alpenglow/infra';
import { sendRevision, sendUncached } from '../send-uncached.ts';
import type { Dependencies } from '../dependencies.ts';
import { toPageQuery } from '../paging.ts';
import { getCacheableQuery, sendCachedResponse } from '../send-cached-response.ts';
import { createAdminArticleReader } from './admin-article-reader.ts';
import type { ArticleResponses } from './article-responses.ts';

interface BlogReadDependencies extends Dependencies<'pool' | 'commands' | 'authentication' | 'progress'> {
  readonly articleResponses: ArticleResponses;
}

/** The read models of blog articles. */
export const ARTICLE_PROJECTIONS = ['articles', 'media_items', 'moderation_cases'];

/** The public API operations that read published blog articles. */
export function blogReadRoutes({ articleResponses, progress }: BlogReadDependencies) {
  const router = createOperationRouter();
  const wait = waitForPosition(progress, ARTICLE_PROJECTIONS);
  router.on('listArticles', wait, (req, res) =>
    sendCachedResponse(req, res, articleResponses.list(getCacheableQuery(req))),
  );
  router.on('getArticle', wait, (req, res) =>
    sendCachedResponse(req, res, articleResponses.article(getPath(req).slug)),
  );
  return router;
}

/** The API operations with which admins read blog articles of every status, e.g. drafts. */
export function adminBlogReadRoutes(deps: BlogReadDependencies) {
  const { authentication, progress } = deps;
  const articles = createAdminArticleReader(deps);
  const router = createOperationRouter();

  router.on('listArticlesAsAdmin', waitForPosition(progress, ARTICLE_PROJECTIONS), async (req, res) => {
    await authentication.requireAdmin(req);
    const { status, ...page } = getQuery(req);
    const { articles: data, nextCursor, total } = await articles.list({ ...toPageQuery(page), status });
    sendUncached(res, { success: true, data, nextCursor, total });
  });

  router.on('getArticleAsAdmin', waitForPosition(progress, ARTICLE_PROJECTIONS), async (req, res) => {
    await authentication.requireAdmin(req);
    const found = await articles.find(getPath(req).slug);
    if (!found) throw new DomainError('ARTICLE_NOT_FOUND');
    sendRevision(res, found.revision, { success: true, data: found.article });
  });

  return router;
}
