import { expect, test } from 'vitest';
import { renderMarkdown } from '../src/markdown/render-markdown.ts';
import { findMediaIds, omitMedia } from '../src/markdown/uploaded-media.ts';

const render = (markdown: string) => renderMarkdown(markdown, 'article').html;
const photo = (mediaId: string, alt = '') => `![${alt}](/uploads/photos/${mediaId}/640.jpg)`;

test('finds the uploaded files that a text shows or links to, each once', () => {
  const html = render(`${photo('m1')} ${photo('m2')} ${photo('m1')} [a](/uploads/video/m3) [b](/api/uploads/video/m4)`);
  expect(findMediaIds(html)).toEqual(['m1', 'm2', 'm3', 'm4']);
  expect(findMediaIds(render('Text with /uploads/photos/m1/640.jpg and [a link](/ads/m1).'))).toEqual([]);
});

test('replaces hidden photos with their alternative text, and links to them with their text', () => {
  const html = render(`${photo('m1', 'a "b" > <c>')}, ${photo('m2', 'two')}, [*three*](/uploads/photos/m1/640.jpg)`);
  expect(omitMedia(html, ['m1'])).toBe(
    render(`PLACE, ${photo('m2', 'two')}, *three*`).replace('PLACE', 'a "b" > &#x3C;c>'),
  );
  expect(findMediaIds(omitMedia(html, ['m1', 'm2']))).toEqual([]);
});

test('removes a link that contains a hidden photo', () => {
  const html = render(`[${photo('m1', 'one')} more](/uploads/photos/m1/640.jpg)`);
  expect(omitMedia(html, ['m1'])).toBe(render('one more'));
});

test('does not change a text without hidden files', () => {
  const html = render(`${photo('m1', 'one')} *two*`);
  expect(omitMedia(html, [])).toBe(html);
  expect(omitMedia(html, ['m2'])).toBe(html);
});
