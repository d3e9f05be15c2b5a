import type { ArticleStatus } from '@alpenglow/domain';
import { defineReadModel, defineTally, required } from './define-read-model.ts';

/** The number of published articles of each tag. */
export const ARTICLE_TAGS = defineTally('article_tags');

/** An article of the blog. Code that reads articles for visitors must check `status`, because drafts have rows, too. */
export const ARTICLES = defineReadModel({ name: 'articles', version: 4, tallies: [ARTICLE_TAGS] })({
  slug: 'text primary key',
  status: required<ArticleStatus>('text'),
  title: 'text not null',
  summary: 'text not null',
  /** The text of the article in Markdown. */
  body: 'text not null',
  html: 'text not null',
  text_words: 'integer not null',
  /** The language of title, summary and text (BCP 47). */
  language: 'text not null',
  state: 'text',
  city: 'text',
  tags: required<readonly string[]>('jsonb'),
  /** The media id of the cover picture. */
  cover: 'text',
  /** The media ids of the cover and of all uploaded photos and videos in the text. */
  media_ids: required<readonly string[]>('jsonb'),
  publish_at: 'timestamptz',
  /** The time of the first publication. */
  published_at: 'timestamptz',
  /** The time of the last change of any kind. */
  updated_at: 'timestamptz not null',
  corrected_at: 'timestamptz',
  /** The corrections, the newest first. */
  corrections: required<readonly { readonly note: string; readonly at: string }[]>('jsonb'),
  /** The words for the search. Empty if the article is not published, so that no search finds it. */
  words: 'tsvector not null',
});
