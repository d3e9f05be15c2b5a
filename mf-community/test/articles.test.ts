import { describe, expect, test } from 'vitest';
import { articlesOf, articlesPath, citiesOf, neighboursOf, relatedTo } from '../src/blog/articles.ts';

const article = (slug: string, tags: readonly string[] = [], city: string | null = null) => ({
  slug,
  tags,
  city,
  state: city === null ? null : 'NV',
});

describe('articles', () => {
  test('are asked for by the very addresses that come inside the first HTML', () => {
    expect(articlesPath({ city: null, tag: null })).toBe('/blog/articles');
    expect(articlesPath({ city: null, tag: 'safety' })).toBe('/blog/articles?tag=safety');
    expect(articlesPath({ city: 'Las Vegas', tag: null })).toBe('/blog/articles?city=Las+Vegas');
    expect(articlesPath({ city: 'Reno', tag: 'cities' }, 'abc')).toBe('/blog/articles?city=Reno&tag=cities&cursor=abc');
  });

  test('stand in the list once, though a new one moved the others down between two pages', () => {
    const pages = [
      ['c', 'b'],
      ['b', 'a'],
    ].map((slugs) => ({ data: slugs.map((slug) => article(slug)) }));
    expect(articlesOf(pages).map(({ slug }) => slug)).toEqual(['c', 'b', 'a']);
  });

  test('of the same city are the most related, then those with the most tags in common; others are not', () => {
    const read = article('read', ['safety', 'clients'], 'Reno');
    const others = [
      article('one-tag', ['safety']),
      article('none', ['cities']),
      article('two-tags', ['clients', 'safety']),
      article('city', [], 'Reno'),
      read,
      article('other-city', [], 'Las Vegas'),
    ];
    expect(relatedTo(read, others, 5).map(({ slug }) => slug)).toEqual(['city', 'two-tags', 'one-tag']);
    expect(relatedTo(read, others, 2)).toHaveLength(2);
  });

  test('have neighbours by date, none at the ends and none outside of the list', () => {
    const list = ['newest', 'middle', 'oldest'].map((slug) => ({ slug }));
    expect(neighboursOf('middle', list)).toEqual({ newer: { slug: 'newest' }, older: { slug: 'oldest' } });
    expect(neighboursOf('newest', list)).toEqual({ newer: null, older: { slug: 'middle' } });
    expect(neighboursOf('oldest', list)).toEqual({ newer: { slug: 'middle' }, older: null });
    expect(neighboursOf('unknown', list)).toEqual({ newer: null, older: null });
  });

  test('name their cities once, in order', () => {
    expect(
      citiesOf([article('a', [], 'Reno'), article('b'), article('c', [], 'Las Vegas'), article('d', [], 'Reno')]),
    ).toEqual(['Las Vegas', 'Reno']);
  });
});
