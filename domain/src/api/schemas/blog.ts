import * as z from 'zod/mini';
import { registerSharedSchema, registerView, registerSharedObject } from '../component.ts';
import { ARTICLE_STATUSES } from '../../article/fields.ts';
import { count, message, nextCursor, described, timestamp, total, registerSuccess } from './common.ts';
import { photoView } from './media.ts';

/** Schemas of responses with blog articles, which can be filtered by city and tag. */

const articleFields = {
  title: z.string(),
  summary: z.string(),
  language: described(z.string(), 'The language of title, summary and text, e.g. `en`.'),
  state: z.nullable(z.string()),
  city: z.nullable(z.string()),
  tags: z.array(z.string()),
  cover: z.nullable(photoView),
};

const cardFields = {
  slug: described(z.string(), 'The last part of the address: `/blog/{slug}`.'),
  ...articleFields,
  readingMinutes: described(count, 'Estimated reading time, at least 1.'),
  publishedAt: timestamp,
  updatedAt: described(timestamp, 'The time of the last correction, or of the publication.'),
};

/** A published article, as a list of articles shows it. */
export const articleCard = registerView('ArticleCard', cardFields);

const correctionView = registerSharedObject('CorrectionView', { note: z.string(), at: timestamp });
export const articleView = registerView('ArticleView', {
  ...cardFields,
  html: described(z.string(), 'The text as safe HTML.'),
  corrections: described(z.array(correctionView), 'The newest first.'),
});

export const articleListResponse = registerSuccess('ArticleListAnswer', {
  data: z.array(articleCard),
  tags: described(
    z.array(z.object({ tag: z.string(), count })),
    'Every tag of a published article, the most used first.',
  ),
  nextCursor,
  total,
});
export const articleResponse = registerSuccess('ArticleAnswer', { data: articleView });

const status = registerSharedSchema('ArticleStatus', z.enum(ARTICLE_STATUSES));
const adminFields = {
  slug: z.string(),
  status,
  ...articleFields,
  publishAt: described(z.nullable(timestamp), 'The scheduled time of publication, or null.'),
  publishedAt: described(z.nullable(timestamp), 'The time of the first publication.'),
  updatedAt: timestamp,
  corrections: z.array(correctionView),
};

/** An article in a list, as shown to admins. */
export const adminArticleCard = registerView('AdminArticleCard', adminFields);
/** An article with its text as Markdown and HTML, as shown to admins. */
export const adminArticleView = registerView('AdminArticleView', {
  ...adminFields,
  body: described(z.string(), 'Markdown.'),
  html: z.string(),
});
export const adminArticlesResponse = registerSuccess('AdminArticlesAnswer', {
  data: z.array(adminArticleCard),
  nextCursor,
  total,
});
export const adminArticleResponse = registerSuccess('AdminArticleAnswer', { data: adminArticleView });

export const articleWriteResponse = registerSuccess('ArticleWriteAnswer', {
  message,
  data: z.object({ slug: z.string(), status: z.nullable(status) }),
});
