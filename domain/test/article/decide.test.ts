import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import {
  correctArticle,
  discardArticle,
  draftArticle,
  publishArticle,
  publishWhenDue,
  reviseArticle,
  unscheduleArticle,
  withdrawArticle,
} from '../../src/article/decide.ts';
import type { ArticleEvent } from '../../src/article/events.ts';
import { article, type ArticleState } from '../../src/article/state.ts';
import { AT, givenAggregate } from '../given.ts';

const given = givenAggregate(article);
const context = { now: AT, newId: () => 'unused' };
const at = (offset_ms: number) => new Date(Date.parse(AT) + offset_ms).toISOString();

const ids = { articleId: 'meeting-safely' };
const fields = {
  title: 'Meeting safely',
  summary: 'What helps.',
  body: '## Before',
  state: 'NV',
  city: 'Reno',
  tags: ['safety'],
  cover: 'demo-01',
};
const drafted: ArticleEvent = { type: 'ArticleDrafted', data: { ...ids, ...fields } };
const inEnglish = { ...fields, language: 'en' } as const;
const published: ArticleEvent = { type: 'ArticlePublished', data: ids };
const withdrawn: ArticleEvent = { type: 'ArticleWithdrawn', data: { ...ids, reason: null } };
const unscheduled: ArticleEvent = { type: 'ArticleUnscheduled', data: ids };
const discarded: ArticleEvent = { type: 'ArticleDiscarded', data: ids };
const scheduled = (publishAt: string): ArticleEvent => ({ type: 'ArticleScheduled', data: { ...ids, publishAt } });
const none = { cover: undefined };

describe('drafting an article', () => {
  const drafting = (state: ArticleState, context: DecisionContext) =>
    draftArticle({ ...ids, fields: inEnglish }, state, context);

  test('creates a draft at its address', () => {
    given().when(drafting).then(drafted);
  });
  test('is rejected for a used address, regardless of the state of its article', () => {
    for (const history of [[drafted], [drafted, published], [drafted, published, withdrawn]])
      given(...history)
        .when(drafting)
        .thenThrows('SLUG_TAKEN', { fields: { slug: 'Another article already uses this address' } });
  });
  test('records the language of an article that is not in English', () => {
    given()
      .decide(draftArticle, { ...ids, fields: { ...fields, language: 'de' } }, context)
      .then({ type: 'ArticleDrafted', data: { ...ids, ...fields, language: 'de' } });
  });
  test('is possible at the address of a discarded draft', () => {
    given(drafted, discarded).when(drafting).then(drafted);
  });
});

describe('revising an article', () => {
  const revising =
    (changes: Parameters<typeof reviseArticle>[0]['changes']) => (state: ArticleState, context: DecisionContext) =>
      reviseArticle({ changes }, state, context);

  test('records only the fields that differ', () => {
    given(drafted)
      .when(revising({ ...fields, title: 'Meeting more safely' }))
      .then({ type: 'ArticleRevised', data: { ...ids, title: 'Meeting more safely' } });
  });
  test.each([
    ['summary', { summary: 'Other' }],
    ['body', { body: 'Other' }],
    ['tags', { tags: ['safety', 'clients'] }],
    ['state and city', { state: null, city: null }],
    ['city', { city: 'Las Vegas' }],
    ['language', { language: 'fr' } as const],
  ])('changes %s', (_what, changes) => {
    given(drafted)
      .when(revising({ ...none, ...changes }))
      .then({ type: 'ArticleRevised', data: { ...ids, ...changes } });
  });
  test('changes or removes the cover', () => {
    for (const cover of ['demo-02', null])
      given(drafted)
        .when(revising({ cover }))
        .then({ type: 'ArticleRevised', data: { ...ids, cover } });
  });
  test('records nothing if nothing differs', () => {
    given(drafted).when(revising(fields)).then();
    given(drafted).when(revising(none)).then();
  });
  test('is possible for a scheduled or withdrawn article', () => {
    const revised: ArticleEvent = { type: 'ArticleRevised', data: { ...ids, body: 'Other' } };
    given(drafted, scheduled(at(1)))
      .when(revising({ ...none, body: 'Other' }))
      .then(revised);
    given(drafted, published, withdrawn)
      .when(revising({ ...none, body: 'Other' }))
      .then(revised);
  });
  test('is rejected for a published article, which requires a correction', () => {
    given(drafted, published)
      .when(revising({ ...none, body: 'Other' }))
      .thenThrows('ARTICLE_IS_PUBLISHED');
  });
  test('is rejected if the city is not in the state', () => {
    for (const changes of [{ state: 'CA' }, { state: null }, { city: null }, { city: 'Nowhere' }])
      given(drafted)
        .when(revising({ ...none, ...changes }))
        .thenThrows('INVALID_FIELDS');
  });
  test('compares with the last revision', () => {
    given(drafted, { type: 'ArticleRevised', data: { ...ids, title: 'Other' } })
      .when(revising({ ...none, title: 'Other' }))
      .then();
  });
  test('requires an article', () => {
    given().when(revising(none)).thenThrows('ARTICLE_NOT_FOUND');
    given(drafted, discarded).when(revising(none)).thenThrows('ARTICLE_NOT_FOUND');
  });
});

describe('publishing an article', () => {
  const publishing = (publishAt: string | null) => (state: ArticleState) =>
    publishArticle({ publishAt }, state, context);

  test('publishes a draft now', () => {
    given(drafted).when(publishing(null)).then(published);
  });
  test('schedules a future time in UTC', () => {
    given(drafted).when(publishing('2026-01-02T09:00:00+01:00')).then(scheduled('2026-01-02T08:00:00.000Z'));
  });
  test('publishes at once if the time is now or in the past', () => {
    for (const time of [at(-1), AT]) given(drafted).when(publishing(time)).then(published);
  });
  test('reschedules for another time, ignores the same time, and publishes without a time', () => {
    given(drafted, scheduled(at(5)))
      .when(publishing(at(9)))
      .then(scheduled(at(9)));
    given(drafted, scheduled(at(5)))
      .when(publishing(at(5)))
      .then();
    given(drafted, scheduled(at(5)))
      .when(publishing(null))
      .then(published);
  });
  test('changes nothing for a published article', () => {
    for (const time of [null, at(1)]) given(drafted, published).when(publishing(time)).then();
  });
  test('restores a withdrawn article with its original date', () => {
    const { state } = given(
      drafted,
      { at: at(-50), event: published },
      { at: at(-20), event: withdrawn },
      { at: AT, event: published },
    );
    expect(state).toMatchObject({ status: 'published', publishedAt: at(-50) });
    given(drafted, published, withdrawn).when(publishing(null)).then(published);
  });
  test('requires an article', () => {
    given().when(publishing(null)).thenThrows('ARTICLE_NOT_FOUND');
  });
});

describe('a scheduled article', () => {
  const dueAt = (now: string) => (state: ArticleState) => publishWhenDue({}, state, { ...context, now });

  test('is published when it is due, not before', () => {
    given(drafted, scheduled(at(10)))
      .when(dueAt(at(9)))
      .then();
    for (const now of [at(10), at(99)])
      given(drafted, scheduled(at(10)))
        .when(dueAt(now))
        .then(published);
  });
  test('is not published after it is unscheduled, published or discarded', () => {
    for (const event of [unscheduled, published, discarded])
      given(drafted, scheduled(at(10)), event)
        .when(dueAt(at(99)))
        .then();
    given(drafted)
      .when(dueAt(at(99)))
      .then();
    given()
      .when(dueAt(at(99)))
      .then();
  });
  test('becomes a draft again', () => {
    expect(given(drafted, scheduled(at(10)), unscheduled).state).toMatchObject({ status: 'draft', publishAt: null });
    given(drafted, scheduled(at(10)))
      .decide(unscheduleArticle, {})
      .then(unscheduled);
    given(drafted).decide(unscheduleArticle, {}).then();
    given(drafted, published).decide(unscheduleArticle, {}).then();
    given().decide(unscheduleArticle, {}).thenThrows('ARTICLE_NOT_FOUND');
  });
});

describe('correcting an article', () => {
  const correcting =
    (changes: Parameters<typeof correctArticle>[0]['changes']) => (state: ArticleState, context: DecisionContext) =>
      correctArticle({ changes, note: 'Clearer.' }, state, context);

  test('records the fields that differ, with a note for readers', () => {
    given(drafted, published)
      .when(correcting({ ...fields, body: 'Other' }))
      .then({ type: 'ArticleCorrected', data: { ...ids, body: 'Other', note: 'Clearer.' } });
    expect(
      given(drafted, published, { type: 'ArticleCorrected', data: { ...ids, body: 'Other', note: 'Clearer.' } }).state,
    ).toMatchObject({ body: 'Other', title: fields.title, status: 'published' });
  });
  test('is rejected if nothing differs', () => {
    given(drafted, published)
      .when(correcting(fields))
      .thenThrows('INVALID_FIELDS', { fields: { body: 'There are no changes to publish' } });
  });
  test('is rejected if the city is not in the state', () => {
    given(drafted, published)
      .when(correcting({ ...none, state: 'CA' }))
      .thenThrows('INVALID_FIELDS');
  });
  test('requires a published article', () => {
    for (const history of [[drafted], [drafted, scheduled(at(1))], [drafted, published, withdrawn]])
      given(...history)
        .when(correcting({ ...none, body: 'Other' }))
        .thenThrows('ARTICLE_NOT_PUBLISHED');
    given().when(correcting(none)).thenThrows('ARTICLE_NOT_FOUND');
  });
});

describe('withdrawing an article', () => {
  const withdrawing = (state: ArticleState, context: DecisionContext) =>
    withdrawArticle({ reason: 'Out of date.' }, state, context);

  test('withdraws a published article', () => {
    given(drafted, published)
      .when(withdrawing)
      .then({ type: 'ArticleWithdrawn', data: { ...ids, reason: 'Out of date.' } });
  });
  test('requires a published article', () => {
    for (const history of [[drafted], [drafted, scheduled(at(1))], [drafted, published, withdrawn]])
      given(...history)
        .when(withdrawing)
        .thenThrows('ARTICLE_NOT_PUBLISHED');
    given().when(withdrawing).thenThrows('ARTICLE_NOT_FOUND');
  });
});

describe('discarding an article', () => {
  test('discards a draft, scheduled or not', () => {
    given(drafted).decide(discardArticle, {}).then(discarded);
    given(drafted, scheduled(at(1)))
      .decide(discardArticle, {})
      .then(discarded);
    expect(given(drafted, discarded).state).toBeNull();
  });
  test('is rejected for an article that was ever published', () => {
    given(drafted, published).decide(discardArticle, {}).thenThrows('ARTICLE_IS_PUBLISHED');
    given(drafted, published, withdrawn).decide(discardArticle, {}).thenThrows('ARTICLE_IS_PUBLISHED');
  });
  test('requires an article', () => {
    given().decide(discardArticle, {}).thenThrows('ARTICLE_NOT_FOUND');
    given(drafted, discarded).decide(discardArticle, {}).thenThrows('ARTICLE_NOT_FOUND');
  });
});
