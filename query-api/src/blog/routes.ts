import { DomainError, isArticleSlug, type AdminArticleAnswer, type AdminArticlesAnswer } from '@alpenglow/domain';
import {
  waitForPosition,
  type Authentication,
  type CommandHandler,
  type Pool,
  type ReadModelProgress,
} from '@alpenglow/infra';
import { Router } from 'express';
import { askedOf, sendAnswer } from '../send-answer.ts';
import { createAdminArticleReader } from './admin-article-reader.ts';
import type { ArticleAnswers } from './article-answers.ts';
import { parseAdminArticleQuery } from './article-query.ts';

export interface BlogReadDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly articleAnswers: ArticleAnswers;
}

const ARTICLE_PROJECTIONS = ['articles', 'media_items'];

/** The blog's calls that read, for everybody; to be mounted at `/blog`. */
export function blogReadRoutes({ articleAnswers, progress }: BlogReadDependencies): Router {
  const router = Router();
  router.use(waitForPosition(progress, ARTICLE_PROJECTIONS));
  router.get('/articles', (req, res) => sendAnswer(req, res, articleAnswers.list(askedOf(req))));
  router.get('/articles/:slug', (req, res) => sendAnswer(req, res, articleAnswers.article(slugIn(req.params))));
  return router;
}

/** Those that show what is not published, to admins alone; to be mounted at `/admin/blog`. */
export function adminBlogReadRoutes(deps: BlogReadDependencies): Router {
  const { authentication, progress } = deps;
  const articles = createAdminArticleReader(deps);
  const router = Router();

  router.get('/articles', waitForPosition(progress, ARTICLE_PROJECTIONS), async (req, res) => {
    await authentication.requireAdmin(req);
    const { articles: data, nextCursor, total } = await articles.list(parseAdminArticleQuery(req.query));
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data, nextCursor, total } satisfies AdminArticlesAnswer);
  });

  router.get('/articles/:slug', waitForPosition(progress, ARTICLE_PROJECTIONS), async (req, res) => {
    await authentication.requireAdmin(req);
    const found = await articles.find(slugIn(req.params));
    if (!found) throw new DomainError('ARTICLE_NOT_FOUND');
    res.setHeader('ETag', `"${found.revision}"`);
    res.setHeader('Cache-Control', 'no-store');
    // Not `res.json`, which would answer 304: the revision is for `If-Match`, and more than it makes up the answer.
    res.type('json').end(JSON.stringify({ success: true, data: found.article } satisfies AdminArticleAnswer));
  });

  return router;
}

/** Throws ARTICLE_NOT_FOUND for what cannot be an article's address. */
function slugIn({ slug }: { readonly slug?: string }): string {
  if (slug === undefined || !isArticleSlug(slug)) throw new DomainError('ARTICLE_NOT_FOUND');
  return slug;
}
