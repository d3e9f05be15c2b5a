import { describe, expect, test } from 'vitest';
import { getArticles, getArticlesPath, getCities, findNeighbors, findRelatedArticles } from '../src/blog/articles.ts';

const article = (slug: string, tags: readonly string[] = [], city: string | null = null) => ({
  slug,
  tags,
  city,
  state: city === null ? null : 'NV',
});

describe('articles', () => {
  test('are requested under the same paths as the embedded responses', () => {
    expect(getArticlesPath({ city: null, tag: null })).toBe('/blog/articles');
    expect(getArticlesPath({ city: null, tag: 'safety' })).toBe('/blog/articles?tag=safety');
    expect(getArticlesPath({ city: 'Las Vegas', tag: null })).toBe('/blog/articles?city=Las+Vegas');
    expect(getArticlesPath({ city: 'Reno', tag: 'cities' }, 'abc')).toBe(
      '/blog/articles?city=Reno&tag=cities&cursor=abc',
    );
  });

  test('appear once in the list although a new one moved the others down between two pages', () => {
    const pages = [
      ['c', 'b'],
      ['b', 'a'],
    ].map((slugs) => ({ data: slugs.map((slug) => article(slug)) }));
    expect(getArticles(pages).map(({ slug }) => slug)).toEqual(['c', 'b', 'a']);
  });

  test('are related if they have the same city, then by the number of common tags', () => {
    const current = article('read', ['safety', 'clients'], 'Reno');
    const others = [
      article('one-tag', ['safety']),
      article('none', ['cities']),
      article('two-tags', ['clients', 'safety']),
      article('city', [], 'Reno'),
      current,
      article('other-city', [], 'Las Vegas'),
    ];
    expect(findRelatedArticles(current, others, 5).map(({ slug }) => slug)).toEqual(['city', 'two-tags', 'one-tag']);
    expect(findRelatedArticles(current, others, 2)).toHaveLength(2);
  });

  test('have neighbors by date, but none at the ends and none outside the list', () => {
    const list = ['newest', 'middle', 'oldest'].map((slug) => ({ slug }));
    expect(findNeighbors('middle', list)).toEqual({ newer: { slug: 'newest' }, older: { slug: 'oldest' } });
    expect(findNeighbors('newest', list)).toEqual({ newer: null, older: { slug: 'middle' } });
    expect(findNeighbors('oldest', list)).toEqual({ newer: { slug: 'middle' }, older: null });
    expect(findNeighbors('unknown', list)).toEqual({ newer: null, older: null });
  });

  test('have unique cities in alphabetical order', () => {
    expect(
      getCities([article('a', [], 'Reno'), article('b'), article('c', [], 'Las Vegas'), article('d', [], 'Reno')]),
    ).toEqual(['Las Vegas', 'Reno']);
  });
});
