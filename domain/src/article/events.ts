import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged } from '../event-policies.ts';

/**
 * The id of an article is its slug, i.e. the last part of its URL, which is unique. The operator writes the articles.
 * Articles contain no personal data, so no field is encrypted.
 */
const ids = { articleId: z.string() };

const articleFields = {
  title: z.string(),
  summary: z.string(),
  /** The text in Markdown. */
  body: z.string(),
  /** The language of title, summary and text (BCP 47). Absent in `ArticleDrafted` for English. */
  language: z.optional(z.string()),
  state: z.nullable(z.string()),
  city: z.nullable(z.string()),
  tags: z.array(z.string()),
  /** Media id of the cover picture, or null. */
  cover: z.nullable(z.string()),
};
const changedFields = z.partial(z.object(articleFields)).shape;

export const articleEvents = [
  defineEvent('ArticleDrafted', { version: 1, ...logged, schema: z.object({ ...ids, ...articleFields }) }),
  /** An article was changed before its publication. The event contains only the changed fields. */
  defineEvent('ArticleRevised', { version: 1, ...logged, schema: z.object({ ...ids, ...changedFields }) }),
  /** The article will be published at `publishAt`, a future time in ISO 8601. */
  defineEvent('ArticleScheduled', { version: 1, ...logged, schema: z.object({ ...ids, publishAt: z.string() }) }),
  defineEvent('ArticleUnscheduled', { version: 1, ...logged, schema: z.object(ids) }),
  defineEvent('ArticlePublished', { version: 1, ...logged, schema: z.object(ids) }),
  /** A published article was changed. The note explains the correction to readers. */
  defineEvent('ArticleCorrected', {
    version: 1,
    ...logged,
    schema: z.object({ ...ids, ...changedFields, note: z.string() }),
  }),
  defineEvent('ArticleWithdrawn', {
    version: 1,
    ...logged,
    schema: z.object({ ...ids, reason: z.nullable(z.string()) }),
  }),
  /** A draft that was never published was discarded. */
  defineEvent('ArticleDiscarded', { version: 1, ...logged, schema: z.object(ids) }),
] as const;
export type ArticleEvent = EventFromDefinition<(typeof articleEvents)[number]>;
