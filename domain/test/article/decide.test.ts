import { describe, expect, test } from 'vitest';
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
import { AT, given as givenOf } from '../given.ts';

const given = givenOf(article);
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
const published: ArticleEvent = { type: 'ArticlePublished', data: ids };
const withdrawn: ArticleEvent = { type: 'ArticleWithdrawn', data: { ...ids, reason: null } };
const unscheduled: ArticleEvent = { type: 'ArticleUnscheduled', data: ids };
const discarded: ArticleEvent = { type: 'ArticleDiscarded', data: ids };
const scheduled = (publishAt: string): ArticleEvent => ({ type: 'ArticleScheduled', data: { ...ids, publishAt } });
const none = { cover: undefined };

describe('drafting', () => {
  const drafting = (state: ArticleState) => draftArticle({ ...ids, fields }, state);

  test('begins an article at its address', () => {
    given().when(drafting).then(drafted);
  });
  test('at an address that is taken is refused, whatever became of its article', () => {
    for (const history of [[drafted], [drafted, published], [drafted, published, withdrawn]])
      given(...history)
        .when(drafting)
        .thenRefused('SLUG_TAKEN', { fields: { slug: 'There is an article with this address already' } });
  });
  test('is possible at the address of a draft that was thrown away', () => {
    given(drafted, discarded).when(drafting).then(drafted);
  });
});

describe('revising', () => {
  const revising = (changes: Parameters<typeof reviseArticle>[0]['changes']) => (state: ArticleState) =>
    reviseArticle({ changes }, state);

  test('records only what differs', () => {
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
  ])('changes %s', (_what, changes) => {
    given(drafted)
      .when(revising({ ...none, ...changes }))
      .then({ type: 'ArticleRevised', data: { ...ids, ...changes } });
  });
  test('changes the cover, or takes it off', () => {
    for (const cover of ['demo-02', null])
      given(drafted)
        .when(revising({ cover }))
        .then({ type: 'ArticleRevised', data: { ...ids, cover } });
  });
  test('records nothing when nothing differs', () => {
    given(drafted).when(revising(fields)).then();
    given(drafted).when(revising(none)).then();
  });
  test('is possible while it is scheduled, and once it is withdrawn', () => {
    const revised: ArticleEvent = { type: 'ArticleRevised', data: { ...ids, body: 'Other' } };
    given(drafted, scheduled(at(1)))
      .when(revising({ ...none, body: 'Other' }))
      .then(revised);
    given(drafted, published, withdrawn)
      .when(revising({ ...none, body: 'Other' }))
      .then(revised);
  });
  test('is refused once it is published: readers are told of corrections', () => {
    given(drafted, published)
      .when(revising({ ...none, body: 'Other' }))
      .thenRefused('ARTICLE_IS_PUBLISHED');
  });
  test('is refused where state and city no longer fit', () => {
    for (const changes of [{ state: 'CA' }, { state: null }, { city: null }, { city: 'Nowhere' }])
      given(drafted)
        .when(revising({ ...none, ...changes }))
        .thenRefused('INVALID_FIELDS');
  });
  test('compares with what it was revised to', () => {
    given(drafted, { type: 'ArticleRevised', data: { ...ids, title: 'Other' } })
      .when(revising({ ...none, title: 'Other' }))
      .then();
  });
  test('needs an article', () => {
    given().when(revising(none)).thenRefused('ARTICLE_NOT_FOUND');
    given(drafted, discarded).when(revising(none)).thenRefused('ARTICLE_NOT_FOUND');
  });
});

describe('publishing', () => {
  const publishing = (publishAt: string | null) => (state: ArticleState) => publishArticle(publishAt, state, context);

  test('at once', () => {
    given(drafted).when(publishing(null)).then(published);
  });
  test('at a time to come schedules it, in UTC', () => {
    given(drafted).when(publishing('2026-01-02T09:00:00+01:00')).then(scheduled('2026-01-02T08:00:00.000Z'));
  });
  test('at a time that is over, or is now, publishes it', () => {
    for (const time of [at(-1), AT]) given(drafted).when(publishing(time)).then(published);
  });
  test('a scheduled one: another time moves it, the same changes nothing, none publishes it', () => {
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
  test('a published one changes nothing', () => {
    for (const time of [null, at(1)]) given(drafted, published).when(publishing(time)).then();
  });
  test('one that was withdrawn brings it back with the date it had', () => {
    const { state } = given(
      drafted,
      { at: at(-50), event: published },
      { at: at(-20), event: withdrawn },
      { at: AT, event: published },
    );
    expect(state).toMatchObject({ status: 'published', publishedAt: at(-50) });
    given(drafted, published, withdrawn).when(publishing(null)).then(published);
  });
  test('needs an article', () => {
    given().when(publishing(null)).thenRefused('ARTICLE_NOT_FOUND');
  });
});

describe('what is scheduled', () => {
  const dueAt = (now: string) => (state: ArticleState) => publishWhenDue(state, { ...context, now });

  test('is published when its time has come, not before', () => {
    given(drafted, scheduled(at(10)))
      .when(dueAt(at(9)))
      .then();
    for (const now of [at(10), at(99)])
      given(drafted, scheduled(at(10)))
        .when(dueAt(now))
        .then(published);
  });
  test('is not any more once it is unscheduled, published or thrown away', () => {
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
      .when(unscheduleArticle)
      .then(unscheduled);
    given(drafted).when(unscheduleArticle).then();
    given(drafted, published).when(unscheduleArticle).then();
    given().when(unscheduleArticle).thenRefused('ARTICLE_NOT_FOUND');
  });
});

describe('correcting', () => {
  const correcting = (changes: Parameters<typeof correctArticle>[0]['changes']) => (state: ArticleState) =>
    correctArticle({ changes, note: 'Clearer.' }, state);

  test('records what differs, with the note for readers', () => {
    given(drafted, published)
      .when(correcting({ ...fields, body: 'Other' }))
      .then({ type: 'ArticleCorrected', data: { ...ids, body: 'Other', note: 'Clearer.' } });
    expect(
      given(drafted, published, { type: 'ArticleCorrected', data: { ...ids, body: 'Other', note: 'Clearer.' } }).state,
    ).toMatchObject({ body: 'Other', title: fields.title, status: 'published' });
  });
  test('nothing is refused: there would be nothing to tell', () => {
    given(drafted, published)
      .when(correcting(fields))
      .thenRefused('INVALID_FIELDS', { fields: { body: 'Nothing has changed that could be corrected' } });
  });
  test('is refused where state and city no longer fit', () => {
    given(drafted, published)
      .when(correcting({ ...none, state: 'CA' }))
      .thenRefused('INVALID_FIELDS');
  });
  test('needs a published article', () => {
    for (const history of [[drafted], [drafted, scheduled(at(1))], [drafted, published, withdrawn]])
      given(...history)
        .when(correcting({ ...none, body: 'Other' }))
        .thenRefused('ARTICLE_NOT_PUBLISHED');
    given().when(correcting(none)).thenRefused('ARTICLE_NOT_FOUND');
  });
});

describe('withdrawing', () => {
  const withdrawing = (state: ArticleState) => withdrawArticle('Out of date.', state);

  test('takes a published article down', () => {
    given(drafted, published)
      .when(withdrawing)
      .then({ type: 'ArticleWithdrawn', data: { ...ids, reason: 'Out of date.' } });
  });
  test('needs a published article', () => {
    for (const history of [[drafted], [drafted, scheduled(at(1))], [drafted, published, withdrawn]])
      given(...history)
        .when(withdrawing)
        .thenRefused('ARTICLE_NOT_PUBLISHED');
    given().when(withdrawing).thenRefused('ARTICLE_NOT_FOUND');
  });
});

describe('discarding', () => {
  test('throws away a draft, scheduled or not', () => {
    given(drafted).when(discardArticle).then(discarded);
    given(drafted, scheduled(at(1)))
      .when(discardArticle)
      .then(discarded);
    expect(given(drafted, discarded).state).toBeNull();
  });
  test('is refused for what was ever published', () => {
    given(drafted, published).when(discardArticle).thenRefused('ARTICLE_IS_PUBLISHED');
    given(drafted, published, withdrawn).when(discardArticle).thenRefused('ARTICLE_IS_PUBLISHED');
  });
  test('needs an article', () => {
    given().when(discardArticle).thenRefused('ARTICLE_NOT_FOUND');
    given(drafted, discarded).when(discardArticle).thenRefused('ARTICLE_NOT_FOUND');
  });
});
