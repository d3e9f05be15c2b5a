import { article, type ArticleEvent, type ArticleState, type ResponseOf, type Decider } from '@alpenglow/domain';
import {
  correctArticle,
  discardArticle,
  publishArticle,
  reviseArticle,
  unscheduleArticle,
  withdrawArticle,
} from '@alpenglow/domain/deciders';
import {
  parseIfMatch,
  createOperationRouter,
  getInput,
  getPath,
  renderMarkdown,
  setRevision,
  type RequestWithPath,
} from '@alpenglow/infra';
import type { RequestHandler, Response } from 'express';
import type { Dependencies } from '../../dependencies.ts';
import { createOrigin } from '../../origin.ts';
import { createArticleMedia } from './article-media.ts';
import { draftAtFreeSlug } from './draft.ts';

/** The operations with which admins create and change articles. Each event records the admin as its actor. */
export function blogRoutes({ commands, authentication }: Dependencies<'commands' | 'authentication'>) {
  const router = createOperationRouter();
  const articleMedia = createArticleMedia(commands);

  /** Rejects callers who are not admins before the body is read, because the bodies of articles are long. */
  const requireAdmin: RequestHandler = async (req, _res, next) => {
    await authentication.requireAdmin(req);
    next();
  };

  /** Executes a command on the article in the request path, and responds with the new status of the article. */
  async function handleOnArticle<Command>(
    req: RequestWithPath<{ readonly slug: string }>,
    res: Response,
    message: string | ((state: ArticleState) => string),
    decide: Decider<Command, ArticleState, ArticleEvent>,
    command: Command,
  ): Promise<void> {
    const origin = createOrigin(await authentication.requireAdmin(req), res);
    const { slug } = getPath(req);
    const ifRevision = parseIfMatch(req);
    const handled = await commands.execute(article, slug, decide, command, origin, { ifRevision });
    setRevision(res, handled);
    const text = typeof message === 'string' ? message : message(handled.state);
    res.json(createResponse(text, slug, handled.state));
  }

  /**
   * Returns the changes of an article, with the media id of the cover picture instead of its URL. Throws
   * COVER_NOT_YOURS or PHOTO_NOT_YOURS for a photo that the admin may not use.
   */
  async function withCover<
    Changes extends { readonly cover?: string | null | undefined; readonly body?: string | undefined },
  >(req: RequestWithPath<{ readonly slug: string }>, changes: Changes) {
    const { account } = await authentication.requireAdmin(req);
    return { ...changes, cover: await articleMedia.resolveChanged(account, getPath(req).slug, changes) };
  }

  router.on('draftArticle', requireAdmin, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { slug: requestedSlug, ...fields } = getInput(req);
    const cover = await articleMedia.resolveNew(admin.account, fields);
    const origin = createOrigin(admin, res);
    const { slug, handled } = await draftAtFreeSlug(commands, requestedSlug, { ...fields, cover }, origin);
    setRevision(res, handled);
    res
      .status(201)
      .setHeader('Location', `/api/admin/blog/articles/${slug}`)
      .json(createResponse('Draft saved', slug, handled.state));
  });

  router.on('reviseArticle', requireAdmin, async (req, res) => {
    const changes = await withCover(req, getInput(req));
    await handleOnArticle(req, res, 'Article saved', reviseArticle, { changes });
  });

  router.on('discardArticle', (req, res) => handleOnArticle(req, res, 'Draft discarded', discardArticle, {}));

  router.on('publishArticle', requireAdmin, async (req, res) => {
    const { publishAt } = getInput(req);
    const createMessage = (state: ArticleState) =>
      state?.status === 'scheduled' ? 'Article scheduled' : 'Article published';
    await handleOnArticle(req, res, createMessage, publishArticle, { publishAt });
  });

  router.on('unscheduleArticle', (req, res) =>
    handleOnArticle(req, res, 'The article is a draft again', unscheduleArticle, {}),
  );

  router.on('correctArticle', requireAdmin, async (req, res) => {
    const { note, ...changes } = await withCover(req, getInput(req));
    await handleOnArticle(req, res, 'Article corrected', correctArticle, { changes, note });
  });

  router.on('withdrawArticle', requireAdmin, async (req, res) => {
    const { reason } = getInput(req);
    await handleOnArticle(req, res, 'Article withdrawn', withdrawArticle, { reason });
  });

  router.on('previewArticle', requireAdmin, (req, res) => {
    const { body } = getInput(req);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: { html: renderMarkdown(body, 'article').html } });
  });

  return router;
}

function createResponse(message: string, slug: string, state: ArticleState): ResponseOf<'draftArticle'> {
  return { success: true, message, data: { slug, status: state?.status ?? null } };
}
