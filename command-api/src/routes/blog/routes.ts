import {
  article,
  articleChanges,
  articleCorrection,
  articlePreviewFields,
  correctArticle,
  discardArticle,
  DomainError,
  isArticleSlug,
  newArticleFields,
  publishArticle,
  publishFields,
  reviseArticle,
  unscheduleArticle,
  withdrawArticle,
  withdrawFields,
  type ArticleEvent,
  type ArticleState,
  type ArticleWriteAnswer,
  type DecisionContext,
  type PreviewAnswer,
} from '@alpenglow/domain';
import {
  ifMatchOf,
  jsonBody,
  parseInput,
  renderMarkdown,
  requestIdOf,
  setRevision,
  type Authentication,
  type CommandHandler,
  type CommandOrigin,
  type Principal,
} from '@alpenglow/infra';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { bodyOf } from '../../ad-input.ts';
import { createCovers } from './cover.ts';
import { draftAtFreeSlug } from './draft.ts';

export interface BlogDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
}

/** The calls that write articles, to be mounted at `/admin/blog`. Each needs an admin, who is the actor of every event. */
export function blogRoutes({ commands, authentication }: BlogDependencies): Router {
  const router = Router();
  const covers = createCovers(commands);

  /** Before a body is read: those of articles are long. */
  const adminsOnly: RequestHandler = async (req, _res, next) => {
    await authentication.requireAdmin(req);
    next();
  };

  /** Handles a command on the article a path names, and answers what has become of it. */
  async function write(
    req: Request,
    res: Response,
    messageOf: (state: ArticleState) => string,
    decide: (state: ArticleState, context: DecisionContext) => readonly ArticleEvent[],
  ): Promise<void> {
    const admin = await authentication.requireAdmin(req);
    const slug = slugIn(req);
    const handled = await commands.handle(article, slug, decide, originOf(admin, res), { ifRevision: ifMatchOf(req) });
    setRevision(res, handled);
    res.json(written(messageOf(handled.state), slug, handled.state));
  }

  /** As the decider takes them, once it is known whose upload a cover is. */
  async function withCover<Changes extends { readonly cover?: string | null | undefined }>(
    req: Request,
    changes: Changes,
  ) {
    const { account } = await authentication.requireAdmin(req);
    return { ...changes, cover: await covers.ofExisting(account.accountId, slugIn(req), changes.cover) };
  }

  router.post('/articles', adminsOnly, jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { slug: asked, ...fields } = parseInput(newArticleFields, bodyOf(req));
    const cover = await covers.ofNew(admin.account.accountId, fields.cover);
    const { slug, handled } = await draftAtFreeSlug(commands, asked, { ...fields, cover }, originOf(admin, res));
    setRevision(res, handled);
    res
      .status(201)
      .setHeader('Location', `/api/admin/blog/articles/${slug}`)
      .json(written('Draft saved', slug, handled.state));
  });

  router.put('/articles/:slug', adminsOnly, jsonBody, async (req, res) => {
    const changes = await withCover(req, parseInput(articleChanges, bodyOf(req)));
    await write(
      req,
      res,
      () => 'Article saved',
      (state) => reviseArticle({ changes }, state),
    );
  });

  router.delete('/articles/:slug', (req, res) => write(req, res, () => 'Draft discarded', discardArticle));

  router.post('/articles/:slug/publish', adminsOnly, jsonBody, async (req, res) => {
    const { publishAt } = parseInput(publishFields, bodyOf(req));
    await write(
      req,
      res,
      (state) => (state?.status === 'scheduled' ? 'Article scheduled' : 'Article published'),
      (state, context) => publishArticle(publishAt, state, context),
    );
  });

  router.post('/articles/:slug/unschedule', (req, res) =>
    write(req, res, () => 'The article is a draft again', unscheduleArticle),
  );

  router.post('/articles/:slug/correct', adminsOnly, jsonBody, async (req, res) => {
    const { note, ...changes } = await withCover(req, parseInput(articleCorrection, bodyOf(req)));
    await write(
      req,
      res,
      () => 'Article corrected',
      (state) => correctArticle({ changes, note }, state),
    );
  });

  router.post('/articles/:slug/withdraw', adminsOnly, jsonBody, async (req, res) => {
    const { reason } = parseInput(withdrawFields, bodyOf(req));
    await write(
      req,
      res,
      () => 'Article withdrawn',
      (state) => withdrawArticle(reason, state),
    );
  });

  router.post('/preview', adminsOnly, jsonBody, (req, res) => {
    const { body } = parseInput(articlePreviewFields, bodyOf(req));
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: { html: renderMarkdown(body, 'article').html } } satisfies PreviewAnswer);
  });

  return router;
}

/** The article a request's path names. Throws ARTICLE_NOT_FOUND for what cannot be an article's address. */
function slugIn({ params: { slug } }: Request): string {
  if (typeof slug !== 'string' || !isArticleSlug(slug)) throw new DomainError('ARTICLE_NOT_FOUND');
  return slug;
}

function originOf({ account: { accountId } }: Principal, res: Response): CommandOrigin {
  return { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) };
}

function written(message: string, slug: string, state: ArticleState): ArticleWriteAnswer {
  return { success: true, message, data: { slug, status: state?.status ?? null } };
}
