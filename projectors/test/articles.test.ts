import type { DomainEvent } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import type { Projection, Row } from '../src/projection.ts';
import { articles as projection } from '../src/projections/articles.ts';
import { minutesLater, project } from './project.ts';

const articles = projection as unknown as Projection;
const id = { articleId: 'meeting-safely' };
const articleDrafted: DomainEvent = {
  type: 'ArticleDrafted',
  data: {
    ...id,
    title: 'Meeting safely',
    summary: 'What helps.',
    body: '## Before\n\nTell a friend.',
    state: 'NV',
    city: 'Las Vegas',
    tags: ['safety', 'cities'],
    cover: 'm1',
  },
};
const articlePublished: DomainEvent = { type: 'ArticlePublished', data: id };
const rowAfter = (...events: readonly DomainEvent[]) =>
  project(articles, articleDrafted, ...events)['meeting-safely'] as Row;
const tagsOf = (row: Row) => articles.tallies?.[0]?.keysOf(row);

test('ArticleDrafted renders the text, and no search finds the draft', () => {
  const row = rowAfter();
  expect(row).toMatchObject({
    status: 'draft',
    title: 'Meeting safely',
    city: 'Las Vegas',
    cover: 'm1',
    text_words: 4,
    language: 'en',
    words: '',
    published_at: null,
  });
  expect(row['html']).toContain('<h2 dir="auto">Before</h2>');
  expect(tagsOf(row)).toEqual([]);
});
test('ArticleRevised changes the given fields and renders a new text', () => {
  expect(rowAfter({ type: 'ArticleRevised', data: { ...id, title: 'Meet safely', cover: null } })).toMatchObject({
    title: 'Meet safely',
    cover: null,
    summary: 'What helps.',
    text_words: 4,
    updated_at: minutesLater(1),
  });
  expect(rowAfter({ type: 'ArticleRevised', data: { ...id, body: 'One *two*.' } })).toMatchObject({
    body: 'One *two*.',
    text_words: 2,
  });
});
test('an article is in English unless an event names another language', () => {
  const inGerman = { ...articleDrafted, data: { ...articleDrafted.data, language: 'de' } } as DomainEvent;
  expect(project(articles, inGerman)['meeting-safely']).toMatchObject({ language: 'de' });
  const revised: DomainEvent = { type: 'ArticleRevised', data: { ...id, language: 'fr' } };
  expect(rowAfter(revised)).toMatchObject({ language: 'fr', title: 'Meeting safely' });
  expect(rowAfter(revised, { type: 'ArticleRevised', data: { ...id, title: 'Titre' } })).toMatchObject({
    language: 'fr',
  });
});
test('a draft and its changes set the ids of all uploaded files that the article shows', () => {
  const url = (mediaId: string) => `/uploads/photos/${mediaId}/640.jpg`;
  const body = `![One](${url('m2')}) and [two](/uploads/video/m3), again ![one](${url('m2')}) and ![](${url('m1')}).`;
  const draft = rowAfter();
  expect(draft['media_ids']).toEqual(['m1']);
  expect(rowAfter({ type: 'ArticleRevised', data: { ...id, body } })['media_ids']).toEqual(['m1', 'm2', 'm3']);
  expect(
    rowAfter(
      { type: 'ArticleRevised', data: { ...id, body } },
      { type: 'ArticleRevised', data: { ...id, cover: 'm4' } },
    )['media_ids'],
  ).toEqual(['m4', 'm2', 'm3', 'm1']);
  expect(
    rowAfter({ type: 'ArticleRevised', data: { ...id, body, cover: null } }, articlePublished, {
      type: 'ArticleCorrected',
      data: { ...id, body: 'No photo.', note: 'Removed' },
    })['media_ids'],
  ).toEqual([]);
});
test('ArticleScheduled sets the time of publication, ArticleUnscheduled clears it', () => {
  const articleScheduled: DomainEvent = {
    type: 'ArticleScheduled',
    data: { ...id, publishAt: '2026-02-01T08:00:00.000Z' },
  };
  expect(rowAfter(articleScheduled)).toMatchObject({
    status: 'scheduled',
    publish_at: '2026-02-01T08:00:00.000Z',
    words: '',
  });
  expect(rowAfter(articleScheduled, { type: 'ArticleUnscheduled', data: id })).toMatchObject({
    status: 'draft',
    publish_at: null,
  });
});
test('ArticlePublished makes the article searchable by title, summary, tags, place and text', () => {
  const row = rowAfter(articlePublished);
  expect(row).toMatchObject({ status: 'published', published_at: minutesLater(1) });
  for (const word of ["'safely':1A", "'helps':1B", "'cities':1B", "'nevada':1B", "'vegas':1B", "'friend':1C"])
    expect(row['words']).toContain(word);
  expect(tagsOf(row)).toEqual(['safety', 'cities']);
});
test('ArticleCorrected adds a correction, the newest first', () => {
  const articleCorrected = (note: string, body: string): DomainEvent => ({
    type: 'ArticleCorrected',
    data: { ...id, body, note },
  });
  const row = rowAfter(
    articlePublished,
    articleCorrected('Clearer.', 'Tell a neighbor.'),
    articleCorrected('Shorter.', 'Tell somebody.'),
  );
  expect(row).toMatchObject({
    status: 'published',
    published_at: minutesLater(1),
    corrected_at: minutesLater(3),
    corrections: [
      { note: 'Shorter.', at: minutesLater(3) },
      { note: 'Clearer.', at: minutesLater(2) },
    ],
  });
  expect(row['words']).not.toContain('neighbor');
});
test('ArticleWithdrawn removes the article from the search; publishing it again does not change the date', () => {
  const articleWithdrawn: DomainEvent = { type: 'ArticleWithdrawn', data: { ...id, reason: null } };
  expect(rowAfter(articlePublished, articleWithdrawn)).toMatchObject({ status: 'withdrawn', words: '' });
  expect(tagsOf(rowAfter(articlePublished, articleWithdrawn))).toEqual([]);
  expect(rowAfter(articlePublished, articleWithdrawn, articlePublished)).toMatchObject({
    status: 'published',
    published_at: minutesLater(1),
  });
});
test('ArticleDiscarded removes the row', () => {
  expect(project(articles, articleDrafted, { type: 'ArticleDiscarded', data: id })).toEqual({});
});
