import { CONTACT_MARK } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { hideContactDetailsInHtml } from '../src/markdown/hide-contacts-in-html.ts';
import { renderMarkdown } from '../src/markdown/render-markdown.ts';

/** Contact details in the HTML of community posts. */

const hide = (markdown: string) => hideContactDetailsInHtml(renderMarkdown(markdown, 'post').html);
const paragraph = (html: string) => `<p dir="auto">${html}</p>\n`;

test.each([
  ['Call (702) 555-0142 now', `Call ${CONTACT_MARK} now`],
  ['Call 702 **555** 0142 now', `Call ${CONTACT_MARK}<strong></strong> now`],
  ['Mail me@mail.example & wait', `Mail ${CONTACT_MARK} &#x26; wait`],
  ['[chat](https://chat.example/17025550142)', CONTACT_MARK],
  ['[702 555 0142](https://www.example.com/a)', CONTACT_MARK],
  ['`702 555 0142`', `<code dir="ltr">${CONTACT_MARK}</code>`],
])('%s is shown without contact details', (markdown, html) => {
  expect(hide(markdown).replaceAll(/<a [^>]*>|<\/a>/gu, '')).toBe(paragraph(html));
});

test.each([
  'Rooms at 2026-10-01, 150 to 200 dollars',
  'See https://www.example.com/a for the rules',
  '[the rules](https://www.example.com/a?page=2)',
  'A **bold** & <b> text\n\n- a list\n- of two\n\n> and a quote',
])('%s stays unchanged', (markdown) => {
  expect(hide(markdown)).toBe(renderMarkdown(markdown, 'post').html);
});
