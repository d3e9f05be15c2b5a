import type { Aggregate } from '../aggregate.ts';
import { definedOnly } from '../listing/state.ts';
import { articleEvents, type ArticleEvent } from './events.ts';

export const ARTICLE_STATUSES = ['draft', 'scheduled', 'published', 'withdrawn'] as const;
export type ArticleStatus = (typeof ARTICLE_STATUSES)[number];

export interface Article {
  readonly articleId: string;
  readonly status: ArticleStatus;
  readonly title: string;
  readonly summary: string;
  readonly body: string;
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  readonly cover: string | null;
  /** When it is to be published, ISO 8601; null unless it is scheduled. */
  readonly publishAt: string | null;
  /** When it was published first, ISO 8601; null until then. */
  readonly publishedAt: string | null;
}

/** Null until it is drafted, and again once the draft is thrown away. */
export type ArticleState = Article | null;

function evolve(state: ArticleState, event: ArticleEvent, at: string): ArticleState {
  switch (event.type) {
    case 'ArticleDrafted':
      return { ...event.data, status: 'draft', publishAt: null, publishedAt: null };
    case 'ArticleRevised':
      return state && { ...state, ...definedOnly(event.data) };
    case 'ArticleCorrected': {
      const { note: _note, ...changes } = event.data;
      return state && { ...state, ...definedOnly(changes) };
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
  definitions: articleEvents,
};
