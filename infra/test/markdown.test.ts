import { readFileSync } from 'node:fs';
import path from 'node:path';
import { photoUrl } from '@alpenglow/domain';
import { describe, expect, it, test } from 'vitest';
import { renderMarkdown, type MarkdownProfile } from '../src/markdown/render-markdown.ts';
import { unsafePartsOf } from './markdown-safety.ts';
import { sampleOf } from '../../tests/support/sample.ts';

const PROFILES: readonly MarkdownProfile[] = ['post', 'article'];
const PHOTO = photoUrl('0192f4c0-7b1e-7c3a-8f00-0123456789ab');
const REL = 'rel="nofollow ugc noopener"';
const MAX = 100_000;

const post = (markdown: string) => renderMarkdown(markdown, 'post');
const article = (markdown: string) => renderMarkdown(markdown, 'article');

/**
 * Reads a file of the test corpus, which contains Markdown texts. Replaces codes such as `{U+0009}` by the characters
 * that they represent.
 */
const readCorpus = (name: string) =>
  readFileSync(path.join(import.meta.dirname, 'markdown-corpus', name), 'utf8').replace(
    /\{U\+([0-9A-F]{4})\}/gu,
    (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)),
  );
const LINES = readCorpus('lines.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('%%'));
const BLOCKS = readCorpus('blocks.txt')
  .split(/^%%.*\n/mu)
  .filter((block) => block !== '');
const ATTACKS = [...LINES, ...BLOCKS];

describe('rendered Markdown', () => {
  test.each<[string, string]>([
    ['one\ntwo', '<p dir="auto">one<br>\ntwo</p>'],
    ['*a* **b** ~~c~~', '<p dir="auto"><em>a</em> <strong>b</strong> <del>c</del></p>'],
    ['# A **b**', '<p dir="auto"><strong>A <strong>b</strong></strong></p>'],
    ['---', '<hr>'],
    ['> a', '<blockquote dir="auto">\n<p dir="auto">a</p>\n</blockquote>'],
    ['- a', '<ul>\n<li dir="auto">a</li>\n</ul>'],
    ['3. a', '<ol start="3">\n<li dir="auto">a</li>\n</ol>'],
    ['| a |\n|---|', '<p dir="auto">| a |<br>\n|---|</p>'],
    ['(c) -- "a"...', '<p dir="auto">(c) -- "a"...</p>'],
    [`![view](${PHOTO})`, '<p dir="auto">view</p>'],
  ])('is correct for %j in a post', (markdown, html) => {
    expect(post(markdown).html.trim()).toBe(html);
  });

  test.each<[string, string]>([
    ['one\ntwo', '<p dir="auto">one\ntwo</p>'],
    ['# a', '<h2 dir="auto">a</h2>'],
    ['## a', '<h2 dir="auto">a</h2>'],
    ['### a', '<h3 dir="auto">a</h3>'],
    ['#### a', '<h4 dir="auto">a</h4>'],
    ['###### a', '<h4 dir="auto">a</h4>'],
    [
      '| a | b |\n|:-:|---|\n| 1 |',
      '<table>\n<thead>\n<tr>\n<th dir="auto">a</th>\n<th dir="auto">b</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td dir="auto">1</td>\n<td dir="auto"></td>\n</tr>\n</tbody>\n</table>',
    ],
    [`![a *view*](${PHOTO} "title")`, `<p dir="auto"><img src="${PHOTO}" alt="a view"></p>`],
    ['![view](https://elsewhere.example/1.jpg)', '<p dir="auto">view</p>'],
    [`![view](https://elsewhere.example${PHOTO})`, '<p dir="auto">view</p>'],
    [`![view](${PHOTO.replace('1600', '1601')})`, '<p dir="auto">view</p>'],
    [`[![view](${PHOTO})](/blog)`, `<p dir="auto"><a href="/blog" ${REL}><img src="${PHOTO}" alt="view"></a></p>`],
  ])('is correct for %j in an article', (markdown, html) => {
    expect(article(markdown).html.trim()).toBe(html);
  });

  it('has escaped code, which has no class and is always left to right', () => {
    expect(post('```html\n<b onclick="x">&amp;</b>\n```').html).toBe(
      '<pre dir="ltr"><code dir="ltr">&#x3C;b onclick="x">&#x26;amp;&#x3C;/b>\n</code></pre>\n',
    );
    expect(post('`<i>`').html).toBe('<p dir="auto"><code dir="ltr">&#x3C;i></code></p>\n');
  });

  it('shows HTML as text', () => {
    expect(post('<b>a</b> &lt;i&gt;')).toEqual({
      html: '<p dir="auto">&#x3C;b>a&#x3C;/b> &#x3C;i></p>\n',
      text: '<b>a</b> <i>',
      links: 0,
    });
  });
});

describe('links in Markdown', () => {
  test.each<[string, string]>([
    ['[a](https://a.example/b?c=1&d#e)', `<a href="https://a.example/b?c=1&#x26;d#e" ${REL}>a</a>`],
    ['[a](/ads/1)', `<a href="/ads/1" ${REL}>a</a>`],
    ['<http://a.example>', `<a href="http://a.example" ${REL}>http://a.example</a>`],
    ['see https://a.example/_b_.', `see <a href="https://a.example/_b_" ${REL}>https://a.example/_b_</a>.`],
    ['[a][b]\n\n[b]: https://a.example "title"', `<a href="https://a.example" ${REL}>a</a>`],
    ['[Zürich](https://zürich.example/ü)', `<a href="https://xn--zrich-kva.example/%C3%BC" ${REL}>Zürich</a>`],
  ])('are rendered for %j', (markdown, html) => {
    for (const profile of PROFILES)
      expect(renderMarkdown(markdown, profile)).toMatchObject({ html: `<p dir="auto">${html}</p>\n`, links: 1 });
  });

  test.each([
    '[*a*](javascript:steal())',
    '[*a*](//a.example)',
    '[*a*](/\\a.example)',
    '[*a*](b)',
    '[*a*](#b)',
    '[*a*](ftp://a.example)',
    '[*a*](https://b@a.example)',
    '[*a*](mailto:a@b.example?bcc=c@d.example)',
  ])('are replaced by their text for %j', (markdown) => {
    for (const profile of PROFILES)
      expect(renderMarkdown(markdown, profile)).toEqual({
        html: '<p dir="auto"><em>a</em></p>\n',
        text: 'a',
        links: 0,
      });
  });

  it('to mail addresses are allowed only in articles', () => {
    expect(article('[a](mailto:b@c.example)').html).toContain(`<a href="mailto:b@c.example" ${REL}>a</a>`);
    expect(post('[a](mailto:b@c.example) <b@c.example>')).toMatchObject({ text: 'a b@c.example', links: 0 });
  });

  it('are not created from bare hosts, mail addresses and other schemes', () => {
    for (const profile of PROFILES)
      expect(
        renderMarkdown('www.a.example a@b.example //a.example ftp://a.example mailto:a@b.example', profile).links,
      ).toBe(0);
  });

  it('without visible text are removed', () => {
    for (const markdown of [
      '[](https://a.example)',
      '[&nbsp;](https://a.example)',
      '[&#x200B;](https://a.example)',
      '[\u3164](https://a.example)',
      '[\u2800](https://a.example)',
      '[![](https://b.example)](https://a.example)',
    ])
      expect(article(markdown).links).toBe(0);
  });

  it('are counted in every notation', () => {
    expect(
      post('[a](https://a.example) <https://b.example> https://c.example [d] /e [f](javascript:x)\n\n[d]: /d').links,
    ).toBe(4);
  });

  it('are replaced by their text if the address is too long', () => {
    const address = `https://a.example/${'b'.repeat(3_000)}`;
    for (const markdown of [address, `<${address}>`, `[a](${address})`]) {
      expect(post(markdown).links).toBe(0);
      expect(post(markdown).text).toContain(address);
    }
  });
});

describe('Unicode text in Markdown', () => {
  it('preserves every emoji', () => {
    const emoji = '👩‍👩‍👧‍👦 🏳️‍🌈 🇨🇭 👍🏽 ❤️ 1️⃣ 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🧑🏿‍🚀';
    expect(post(emoji)).toEqual({ html: `<p dir="auto">${emoji}</p>\n`, text: emoji, links: 0 });
  });

  it('gives each block the direction of its own text', () => {
    expect(post('שלום\n\nhello').html).toBe('<p dir="auto">שלום</p>\n<p dir="auto">hello</p>\n');
    // `auto` ignores children that have their own direction, so the blockquote gets an explicit direction.
    expect(post('> مرحبا').html).toBe('<blockquote dir="rtl">\n<p dir="auto">مرحبا</p>\n</blockquote>\n');
    expect(post('- שלום').html).toMatch(/^<ul dir="rtl">/u);
    expect(post('> hello שלום').html).toMatch(/^<blockquote dir="auto">/u);
  });

  it('cannot change the direction of the page', () => {
    for (const control of [
      '\u202A',
      '\u202B',
      '\u202C',
      '\u202D',
      '\u202E',
      '\u2066',
      '\u2067',
      '\u2068',
      '\u2069',
      '&#x202E;',
      '&#8294;',
    ])
      expect(
        article(
          `a${control}b [c${control}](/d) ![e${control}](${PHOTO}) \`${control.startsWith('&') ? '' : control}f\``,
        ),
      ).toMatchObject({
        html: `<p dir="auto">ab <a href="/d" ${REL}>c</a> <img src="${PHOTO}" alt="e"> <code dir="ltr">f</code></p>\n`,
        text: expect.stringMatching(/^ab c/u),
      });
  });

  it('has at most eight combining marks per character', () => {
    const eight = '\u0301'.repeat(8);
    expect(post(`a${eight.repeat(9)}b`).text).toBe(`a${eight}b`);
    expect(post(`a${'&#x301;'.repeat(20)}`).text).toBe(`a${eight}`);
    expect(post(`a${'\u0301\u200D'.repeat(20)}`).text.match(/\u0301/gu)).toHaveLength(8);
    expect(post(`**a${eight}**${eight}b${eight}`).text).toBe(`a${eight}b${eight}`);
    expect(post('नमस्ते ที่นี่ Việt').text).toBe('नमस्ते ที่นี่ Việt');
  });

  it('loses control characters and lone surrogates', () => {
    expect(post('a\0b\u0007c\u0085d\uFFFEe\uD800f').text).toBe('abcde\uFFFDf');
    expect(post('a\r\nb\u2028c').text).toBe('a\nb\nc');
  });
});

describe('the plain text of Markdown', () => {
  it('has no markup, and a newline between paragraphs', () => {
    const markdown =
      '# Title\n\nOne *two* [three](https://a.example).\n\n- four\n- five\n\n> six\n\n' +
      '```\nseven\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |';
    expect(article(markdown).text).toBe('Title\nOne two three.\nfour\nfive\nsix\nseven\na\tb\n1\t2');
    expect(post('a\nb\n\n\n\nc').text).toBe('a\nb\nc');
    expect(post('')).toEqual({ html: '', text: '', links: 0 });
  });

  it('does not change if it is rendered again', () => {
    for (const markdown of ['**One** _two_\n\nthree [four](/five)', '# A\n\n- b\n- c', 'שלום 👩‍👩‍👧', '> a\n> b']) {
      const { text } = post(markdown);
      expect(post(text).text).toBe(text);
    }
  });
});

describe('attacks through Markdown', () => {
  it('are detected by the check of this test', () => {
    const photo = `<img src="${PHOTO}" alt="x">`;
    expect(unsafePartsOf(`<p dir="auto">a <a href="/b" ${REL}>b</a>${photo}</p>`, 'article')).toEqual([]);
    for (const html of [
      '<p onclick="x">a</p>',
      photo.replace('alt', 'onerror'),
      photo.replace('/uploads', '//evil.example/uploads'),
      '<script>steal()</script>',
      '<p><svg></svg></p>',
      '<p class="x">a</p>',
      '<p id="x">a</p>',
      '<p style="x">a</p>',
      '<!-- a -->',
      '<p>\u202E</p>',
      `<a href="javascript:steal()" ${REL}>a</a>`,
      `<a href="java&#10;script:steal()" ${REL}>a</a>`,
      `<a href="//evil.example" ${REL}>a</a>`,
      `<a href="/\\evil.example" ${REL}>a</a>`,
      `<a href="/&#9;/evil.example" ${REL}>a</a>`,
      `<a href="https://a@evil.example" ${REL}>a</a>`,
      `<a href="x" ${REL}>a</a>`,
      '<a href="/x">a</a>',
      `<a href="/x" ${REL} target="_blank">a</a>`,
    ])
      expect(unsafePartsOf(html, 'article'), html).not.toEqual([]);
    expect(unsafePartsOf(photo, 'post')).not.toEqual([]);
    expect(unsafePartsOf(`<a href="mailto:a@b.example" ${REL}>a</a>`, 'post')).not.toEqual([]);
  });

  it('are numerous in the corpus', () => {
    expect(LINES.length).toBeGreaterThan(400);
    expect(BLOCKS.length).toBeGreaterThan(25);
    expect(ATTACKS.join('')).not.toMatch(/\{U\+/u);
  });

  describe.each(PROFILES)('in the profile "%s"', (profile) => {
    test.each(sampleOf(ATTACKS, 80).map((attack) => [attack]))('%j is rendered inert', (attack) => {
      expect(unsafePartsOf(renderMarkdown(attack, profile).html, profile)).toEqual([]);
    });

    const together: readonly [string, string][] = [
      ['paragraphs', ATTACKS.join('\n\n')],
      ['lines', ATTACKS.join('\n')],
      ['one line', ATTACKS.join(' ').replaceAll('\n', ' ')],
      ['backwards', ATTACKS.toReversed().join('\n\n')],
      ['inside links', ATTACKS.map((attack) => `[${attack}](${attack})`).join('\n\n')],
      ['inside pictures', ATTACKS.map((attack) => `![${attack}](${PHOTO} "${attack}")`).join('\n\n')],
      ['inside tables', `| a | b |\n|---|---|\n${LINES.map((attack) => `| ${attack} | ${attack} |`).join('\n')}`],
      ['inside quotes and lists', ATTACKS.map((attack) => `> - ${attack}`).join('\n')],
    ];
    test.each(sampleOf(together, 3))('all attacks together are inert: %s', (_, all) => {
      const hostile = all.repeat(Math.ceil(MAX / all.length)).slice(0, MAX);
      expect(hostile).toHaveLength(MAX);
      expect(unsafePartsOf(renderMarkdown(hostile, profile).html, profile)).toEqual([]);
      expect(unsafePartsOf(renderMarkdown(all.slice(0, MAX / 5), profile).html, profile)).toEqual([]);
    });
  });
});

/** Texts that make a parser without limits slow, or its output very large. */
const PATHOLOGICAL: Record<string, string> = {
  ...Object.fromEntries(
    [
      '>',
      '> ',
      '[',
      '![',
      '*a',
      'a**',
      '**a',
      '`',
      '`a',
      '![](',
      '[](<',
      '[a](<b',
      '[]((',
      '<',
      '<!--',
      'https://a.b/',
      'https://ä/',
      'mailto:a',
      '- ',
      '1. ',
      '> - ',
      '|a',
      '&',
      '&#x202e;',
      '\\',
      'a\n',
      'a\n\n',
      '- a\n',
      '# a\n',
      '```\n',
      'a\u0301',
      '[a]: b\n',
      '*a_ ',
      '~~a',
      ' ',
    ].map((fragment) => [JSON.stringify(fragment), fragment.repeat(MAX / fragment.length)]),
  ),
  'a reference used everywhere': `[x]: /${'a'.repeat(1_900)} "${'t'.repeat(40_000)}"\n\n${'[x] '.repeat(14_000)}`,
  'emphasis opened, then closed': '*a '.repeat(16_000) + ' a*'.repeat(16_000),
  'pictures in pictures': `${'!['.repeat(16_000)}a${'](b)'.repeat(16_000)}`,
  'lists in lists': Array.from({ length: 430 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'),
  'a table wider than long': `|${'a|'.repeat(1_000)}\n|${'-|'.repeat(1_000)}\n${'|a\n'.repeat(30_000)}`,
  'a quote with many more lines': `${'> '.repeat(30)}a\n${'b\n'.repeat(49_000)}`,
  'spaces before a word': `${' '.repeat(MAX - 1)}a`,
  'more than the greatest length': '**a** [b](javascript:x)\n'.repeat(MAX / 10),
};

describe('texts that make parsers slow', () => {
  test.each(sampleOf(Object.entries(PATHOLOGICAL), 12))('%s stays within the limits', (_, markdown) => {
    for (const profile of PROFILES) {
      const { html, links } = renderMarkdown(markdown, profile);
      expect(unsafePartsOf(html, profile)).toEqual([]);
      expect(links).toBeLessThanOrEqual(1_000);
      expect(html.length).toBeLessThan(30 * MAX);
    }
  });

  test.each<[string, string]>([
    ['too deep', `${'> '.repeat(60)}a **word**\n\nanother`],
    ['emphasis too deep', `${'*a '.repeat(60)}${' a*'.repeat(60)}\n\nanother`],
    ['too many links', `${'[a](/b) '.repeat(1_001)}\n\nanother`],
    ['too many elements for a post', `${'*a* '.repeat(2_000)}\n\nanother`],
    ['too many elements', `${'*a* '.repeat(10_000)}\n\nanother`],
    ['too many lines', `${'a **word**\n'.repeat(5_000)}\nanother`],
    ['too long', `${'a **word** '.repeat(MAX / 10)}\n\nanother`],
  ])('%s: the whole text becomes plain paragraphs', (_, markdown) => {
    const { html, text, links } = post(markdown);
    expect(text.replaceAll(/\s/gu, '')).toBe(markdown.replaceAll(/\s/gu, ''));
    expect(html).toMatch(/<p dir="auto">another<\/p>$/u);
    expect(html).not.toMatch(/<(?!\/?(?:p|br)\b)/u);
    expect(links).toBe(0);
  });

  test.each([
    ['`a` ', 1_200],
    ['`a', 1_200],
    ['`a`b', 2_400],
    ['`a`\n', 1_200],
    ['`a`\n\n', 1_200],
    ['> `a`\n\n', 1_000],
    ['- `a`\n', 1_200],
    ['~~a~~', 2_000],
    ['---\n\n', 2_000],
    ['a\n', 4_000],
  ])('a post of %j, repeated %i times, has at most 1,000 elements besides paragraphs', (part, times) => {
    const markdown = part.repeat(times);
    const { html } = post(markdown);
    const elements = html.match(/<(?!\/|br\b|p\b)/gu) ?? [];
    expect(markdown.length).toBeLessThanOrEqual(10_000);
    expect(elements.length).toBeLessThanOrEqual(1_000);
  });

  it('nested lists of hyphens do not multiply the length of a post', () => {
    const hyphens = `${'- '.repeat(10)}a\n`.repeat(450);
    expect(post(hyphens).html.length).toBeLessThan(2 * hyphens.length);
  });

  it('text below the limits is rendered with its markup', () => {
    expect(post(`${'> '.repeat(15)}**a**`).html).toContain('<strong>a</strong>');
    expect(post('[a](/b) '.repeat(900)).links).toBe(900);
    expect(renderMarkdown('Some *words* of a long article. '.repeat(1_500), 'article').html).toContain(
      '<em>words</em>',
    );
  });
});
