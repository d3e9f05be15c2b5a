import type { Aggregate } from '../aggregate.ts';
import { omitUndefined } from '../listing/state.ts';
import { articleEvents, type ArticleEvent } from './events.ts';
import { DEFAULT_ARTICLE_LANGUAGE, type ArticleStatus } from './fields.ts';

export interface Article {
  readonly articleId: string;
  readonly status: ArticleStatus;
  readonly title: string;
  readonly summary: string;
  readonly body: string;
  /** The language of title, summary and text (BCP 47). */
  readonly language: string;
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  readonly cover: string | null;
  /** The scheduled time of publication (ISO 8601), or null. */
  readonly publishAt: string | null;
  /** The time of the first publication (ISO 8601), or null. */
  readonly publishedAt: string | null;
}

/** State of an article. Null before the article is drafted and after the draft is discarded. */
export type ArticleState = Article | null;

function evolve(state: ArticleState, event: ArticleEvent, at: string): ArticleState {
  switch (event.type) {
    case 'ArticleDrafted':
      return {
        ...event.data,
        language: event.data.language ?? DEFAULT_ARTICLE_LANGUAGE,
        status: 'draft',
        publishAt: null,
        publishedAt: null,
      };
    case 'ArticleRevised':
      return state && { ...state, ...omitUndefined(event.data) };
    case 'ArticleCorrected': {
      const { note: _note, ...changes } = event.data;
      return state && { ...state, ...omitUndefined(changes) };
    }
    case 'ArticleScheduled':
      return state && { ...state, status: 'scheduled', publishAt: event.data.publishAt };
    case 'ArticleUnscheduled':
      return state && { ...state, status: 'draft', publishAt: null };
    case 'ArticlePublished':
      return state && { ...state, status: 'published', publishAt: null, publishedAt: state.publishedAt ?? at };
    case 'ArticleWithdrawn':
      return state && { ...state, status: 'withdrawn' };
    case 'ArticleDiscarded':
      return null;
  }
}

export const article: Aggregate<ArticleState, ArticleEvent> = {
  name: 'article',
  initial: null,
  evolve,
  eventDefinitions: articleEvents,
};
