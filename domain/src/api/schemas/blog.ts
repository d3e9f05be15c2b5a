import * as z from 'zod/mini';
import { ARTICLE_STATUSES } from '../../article/state.ts';
import { count, done, message, nextCursor, said, time, total } from './common.ts';
import { photoView } from './media.ts';

/** The blog: articles by date, city and tag. */

const cardFields = {
  slug: said(z.string(), 'The last part of its address: `/blog/{slug}`.'),
  title: z.string(),
  summary: z.string(),
  state: z.nullable(z.string()),
  city: z.nullable(z.string()),
  tags: z.array(z.string()),
  cover: z.nullable(photoView),
  readingMinutes: said(count, 'How long reading takes, 1 at least.'),
  publishedAt: time,
  updatedAt: said(time, 'When it was corrected last, else when it was published.'),
};

/** A published article in a list. */
export const articleCard = z.object(cardFields);

const correctionView = z.object({ note: z.string(), at: time });
export const articleView = z.object({
  ...cardFields,
  html: said(z.string(), 'The text as safe HTML.'),
  corrections: said(z.array(correctionView), 'The newest first.'),
});

export const articleListAnswer = z.object({
  success: done,
  data: z.array(articleCard),
  tags: said(z.array(z.object({ tag: z.string(), count })), 'Every tag of a published article, the most used first.'),
  nextCursor,
  total,
});
export const articleAnswer = z.object({ success: done, data: articleView });

const status = z.enum(ARTICLE_STATUSES);
const adminFields = {
  slug: z.string(),
  status,
  title: z.string(),
  summary: z.string(),
  state: z.nullable(z.string()),
  city: z.nullable(z.string()),
  tags: z.array(z.string()),
  cover: z.nullable(photoView),
  publishAt: said(z.nullable(time), 'When it is to be published; null unless it is scheduled.'),
  publishedAt: said(z.nullable(time), 'When it was published first.'),
  updatedAt: time,
  corrections: z.array(correctionView),
};

/** An article as an admin sees it in a list. */
export const adminArticleCard = z.object(adminFields);
/** The same with its text, as it was written and as it is shown. */
export const adminArticleView = z.object({ ...adminFields, body: said(z.string(), 'Markdown.'), html: z.string() });
export const adminArticlesAnswer = z.object({ success: done, data: z.array(adminArticleCard), nextCursor, total });
export const adminArticleAnswer = z.object({ success: done, data: adminArticleView });

export const articleWriteAnswer = z.object({
  success: done,
  message,
  data: z.object({ slug: z.string(), status: z.nullable(status) }),
});
