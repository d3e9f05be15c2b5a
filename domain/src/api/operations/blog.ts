import type { ZodMiniType } from 'zod/mini';
import {
  reviseArticleFields,
  correctArticleFields,
  articlePreviewFields,
  newArticleFields,
  publishArticleFields,
  withdrawArticleFields,
} from '../../article/fields.ts';
import {
  jsonBody,
  jsonResponse,
  defineOperation,
  conditionalRead,
  REVISION_HEADERS,
  type JsonBody,
  type RequestHeader,
} from '../operation.ts';
import {
  adminArticleResponse,
  adminArticlesResponse,
  articleResponse,
  articleListResponse,
  articleWriteResponse,
} from '../schemas/blog.ts';
import { previewResponse } from '../schemas/community.ts';
import { articleFilters, articleSlug, articleStatusFilter } from './parameters.ts';

const common = { tag: 'Blog' } as const;
const admin = { tag: 'Admin', access: 'admin', pathParameters: { slug: articleSlug } } as const;
const WRITE_HEADERS: readonly RequestHeader[] = ['Idempotency-Key', 'If-Match'];
/**
 * Maximum size of a request body with an article. The limit allows for the longest article, although a character may
 * need three bytes and JSON escapes some characters.
 */
const ARTICLE_BODY_MAX_bytes = 512 * 1024;
const articleBody = <Schema extends ZodMiniType>(schema: Schema, example: JsonBody['example']): JsonBody<Schema> => ({
  ...jsonBody(schema, example),
  max_bytes: ARTICLE_BODY_MAX_bytes,
});
const AN_ARTICLE = {
  title: 'Meeting safely',
  summary: 'What helps before, during and after.',
  body: '## Before\n\nTell a friend.',
  language: 'en',
  state: null,
  city: null,
  tags: ['safety'],
  cover: null,
};

/** Operations on the articles of the blog. */
export const blogOperations = [
  defineOperation('listArticles', 'GET', '/blog/articles', {
    ...common,
    summary: 'List articles',
    description: 'The newest comes first. The feeds are at `/blog/rss.xml` and `/blog/atom.xml`, outside of the API.',
    queryParameters: articleFilters,
    ...conditionalRead(articleListResponse, 'A page of articles.'),
  }),
  defineOperation('getArticle', 'GET', '/blog/articles/{slug}', {
    ...common,
    summary: 'Read an article',
    pathParameters: { slug: articleSlug },
    ...conditionalRead(articleResponse, 'The article.'),
    errors: ['ARTICLE_NOT_FOUND'],
  }),
  defineOperation('listArticlesAsAdmin', 'GET', '/admin/blog/articles', {
    ...admin,
    pathParameters: {},
    summary: 'List articles, including drafts',
    queryParameters: articleStatusFilter,
    ...conditionalRead(adminArticlesResponse, 'A page of articles, the last changed one first.'),
  }),
  defineOperation('getArticleAsAdmin', 'GET', '/admin/blog/articles/{slug}', {
    ...admin,
    summary: 'Get an article with its Markdown text',
    description: 'The `ETag` is the revision for `If-Match` of a write.',
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(adminArticleResponse, 'The article.', ['ETag']) },
    errors: ['ARTICLE_NOT_FOUND'],
  }),
  defineOperation('draftArticle', 'POST', '/admin/blog/articles', {
    ...admin,
    pathParameters: {},
    summary: 'Create a draft',
    description: 'The slug is the permanent address. The default is derived from the title.',
    headers: ['Idempotency-Key'],
    body: articleBody(newArticleFields, { slug: 'meeting-safely', ...AN_ARTICLE }),
    responses: { 201: jsonResponse(articleWriteResponse, 'The draft was created.', [...REVISION_HEADERS, 'Location']) },
    errors: ['REQUIRED_FIELDS', 'SLUG_TAKEN', 'COVER_NOT_YOURS', 'PHOTO_NOT_YOURS'],
  }),
  defineOperation('reviseArticle', 'PUT', '/admin/blog/articles/{slug}', {
    ...admin,
    summary: 'Change an article that is not published',
    headers: WRITE_HEADERS,
    body: articleBody(reviseArticleFields, { title: 'Meeting safely, the first time' }),
    responses: { 200: jsonResponse(articleWriteResponse, 'The article was changed.', REVISION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'ARTICLE_NOT_FOUND', 'ARTICLE_IS_PUBLISHED', 'COVER_NOT_YOURS', 'PHOTO_NOT_YOURS'],
  }),
  defineOperation('discardArticle', 'DELETE', '/admin/blog/articles/{slug}', {
    ...admin,
    summary: 'Discard a draft that was never published',
    headers: WRITE_HEADERS,
    responses: { 200: jsonResponse(articleWriteResponse, 'The draft was discarded.', REVISION_HEADERS) },
    errors: ['ARTICLE_NOT_FOUND', 'ARTICLE_IS_PUBLISHED'],
  }),
  defineOperation('publishArticle', 'POST', '/admin/blog/articles/{slug}/publish', {
    ...admin,
    summary: 'Publish an article, now or at a later time',
    headers: WRITE_HEADERS,
    body: articleBody(publishArticleFields, { publishAt: '2027-01-01T08:00:00.000Z' }),
    responses: { 200: jsonResponse(articleWriteResponse, 'The article is published or scheduled.', REVISION_HEADERS) },
    errors: ['ARTICLE_NOT_FOUND'],
  }),
  defineOperation('unscheduleArticle', 'POST', '/admin/blog/articles/{slug}/unschedule', {
    ...admin,
    summary: 'Make a scheduled article a draft again',
    headers: WRITE_HEADERS,
    responses: { 200: jsonResponse(articleWriteResponse, 'The article is a draft.', REVISION_HEADERS) },
    errors: ['ARTICLE_NOT_FOUND'],
  }),
  defineOperation('correctArticle', 'POST', '/admin/blog/articles/{slug}/correct', {
    ...admin,
    summary: 'Correct a published article',
    description: 'The note informs readers of the correction.',
    headers: WRITE_HEADERS,
    body: articleBody(correctArticleFields, {
      body: '## Before\n\nTell a friend where you are.',
      note: 'Made the first step clearer.',
    }),
    responses: { 200: jsonResponse(articleWriteResponse, 'The article was corrected.', REVISION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'ARTICLE_NOT_FOUND', 'ARTICLE_NOT_PUBLISHED', 'COVER_NOT_YOURS', 'PHOTO_NOT_YOURS'],
  }),
  defineOperation('withdrawArticle', 'POST', '/admin/blog/articles/{slug}/withdraw', {
    ...admin,
    summary: 'Withdraw a published article',
    headers: WRITE_HEADERS,
    body: articleBody(withdrawArticleFields, { reason: 'Out of date.' }),
    responses: { 200: jsonResponse(articleWriteResponse, 'The article was withdrawn.', REVISION_HEADERS) },
    errors: ['ARTICLE_NOT_FOUND', 'ARTICLE_NOT_PUBLISHED'],
  }),
  defineOperation('previewArticle', 'POST', '/admin/blog/preview', {
    ...admin,
    pathParameters: {},
    summary: 'Render the Markdown of an article',
    body: articleBody(articlePreviewFields, { body: '## Before\n\nTell a friend.' }),
    responses: { 200: jsonResponse(previewResponse, 'Safe HTML.') },
    errors: ['REQUIRED_FIELDS'],
  }),
];
