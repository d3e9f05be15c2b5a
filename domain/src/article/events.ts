import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/** An article's id is its slug: two articles cannot have one address. Articles are the operator's words, nobody's personal data. */
const ofArticle = { articleId: z.string() };

const articleFields = {
  title: z.string(),
  summary: z.string(),
  /** Markdown. */
  body: z.string(),
  state: z.nullable(z.string()),
  city: z.nullable(z.string()),
  tags: z.array(z.string()),
  /** A media id. */
  cover: z.nullable(z.string()),
};
const changedFields = z.partial(z.object(articleFields)).shape;

export const ArticleDrafted = defineEvent('ArticleDrafted', {
  version: 1,
  schema: z.object({ ...ofArticle, ...articleFields }),
});

/** Changed while nobody but admins sees it. Carries the changed fields only. */
export const ArticleRevised = defineEvent('ArticleRevised', {
  version: 1,
  schema: z.object({ ...ofArticle, ...changedFields }),
});

/** To be published at a time to come, ISO 8601. */
export const ArticleScheduled = defineEvent('ArticleScheduled', {
  version: 1,
  schema: z.object({ ...ofArticle, publishAt: z.string() }),
});
export const ArticleUnscheduled = defineEvent('ArticleUnscheduled', { version: 1, schema: z.object(ofArticle) });

export const ArticlePublished = defineEvent('ArticlePublished', { version: 1, schema: z.object(ofArticle) });

/** Changed while everybody sees it; readers are told by the note. */
export const ArticleCorrected = defineEvent('ArticleCorrected', {
  version: 1,
  schema: z.object({ ...ofArticle, ...changedFields, note: z.string() }),
});

export const ArticleWithdrawn = defineEvent('ArticleWithdrawn', {
  version: 1,
  schema: z.object({ ...ofArticle, reason: z.nullable(z.string()) }),
});

/** A draft that was never published is thrown away. */
export const ArticleDiscarded = defineEvent('ArticleDiscarded', { version: 1, schema: z.object(ofArticle) });

export const articleEvents = [
  ArticleDrafted,
  ArticleRevised,
  ArticleScheduled,
  ArticleUnscheduled,
  ArticlePublished,
  ArticleCorrected,
  ArticleWithdrawn,
  ArticleDiscarded,
] as const;
export type ArticleEvent = EventOf<(typeof articleEvents)[number]>;
