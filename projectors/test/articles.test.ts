import type { DomainEvent } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import type { Projection, Row } from '../src/projection.ts';
import { articles as projection } from '../src/projections/articles.ts';
import { minutesLater, project } from './given.ts';

const articles = projection as unknown as Projection;
const id = { articleId: 'meeting-safely' };
const drafted: DomainEvent = {
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
const published: DomainEvent = { type: 'ArticlePublished', data: id };
const after = (...events: readonly DomainEvent[]) => project(articles, drafted, ...events)['meeting-safely'] as Row;
const tagsOf = (row: Row) => articles.tallies?.[0]?.keysOf(row);

test('ArticleDrafted renders the text, and is found by no search', () => {
  const row = after();
  expect(row).toMatchObject({
    status: 'draft',
    title: 'Meeting safely',
    city: 'Las Vegas',
    cover: 'm1',
    text_words: 4,
    words: '',
    published_at: null,
  });
  expect(row['html']).toContain('<h2 dir="auto">Before</h2>');
  expect(tagsOf(row)).toEqual([]);
});
test('ArticleRevised changes what it carries, and the text is rendered anew', () => {
  expect(after({ type: 'ArticleRevised', data: { ...id, title: 'Meet safely', cover: null } })).toMatchObject({
    title: 'Meet safely',
    cover: null,
    summary: 'What helps.',
    text_words: 4,
    updated_at: minutesLater(1),
  });
  expect(after({ type: 'ArticleRevised', data: { ...id, body: 'One *two*.' } })).toMatchObject({
    body: 'One *two*.',
    text_words: 2,
  });
});
test('ArticleScheduled and ArticleUnscheduled', () => {
  const scheduled: DomainEvent = { type: 'ArticleScheduled', data: { ...id, publishAt: '2026-02-01T08:00:00.000Z' } };
  expect(after(scheduled)).toMatchObject({ status: 'scheduled', publish_at: '2026-02-01T08:00:00.000Z', words: '' });
  expect(after(scheduled, { type: 'ArticleUnscheduled', data: id })).toMatchObject({
    status: 'draft',
    publish_at: null,
  });
});
test('ArticlePublished is found by title, summary, tags, place and text', () => {
  const row = after(published);
  expect(row).toMatchObject({ status: 'published', published_at: minutesLater(1) });
  for (const word of ["'safely':1A", "'helps':1B", "'cities':1B", "'nevada':1B", "'vegas':1B", "'friend':1C"])
    expect(row['words']).toContain(word);
  expect(tagsOf(row)).toEqual(['safety', 'cities']);
});
test('ArticleCorrected tells of it, the newest first', () => {
  const corrected = (note: string, body: string): DomainEvent => ({
    type: 'ArticleCorrected',
    data: { ...id, body, note },
  });
  const row = after(published, corrected('Clearer.', 'Tell a neighbor.'), corrected('Shorter.', 'Tell somebody.'));
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
test('ArticleWithdrawn is found no more; published again it keeps its date', () => {
  const withdrawn: DomainEvent = { type: 'ArticleWithdrawn', data: { ...id, reason: null } };
  expect(after(published, withdrawn)).toMatchObject({ status: 'withdrawn', words: '' });
  expect(tagsOf(after(published, withdrawn))).toEqual([]);
  expect(after(published, withdrawn, published)).toMatchObject({ status: 'published', published_at: minutesLater(1) });
});
test('ArticleDiscarded leaves no row', () => {
  expect(project(articles, drafted, { type: 'ArticleDiscarded', data: id })).toEqual({});
});
