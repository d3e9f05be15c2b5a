import { fromHtml } from 'hast-util-from-html';
import { visit } from 'unist-util-visit';
import type { MarkdownProfile } from '../src/markdown/render-markdown.ts';

const POST = ['p', 'br', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'hr'];
const ELEMENTS: Record<MarkdownProfile, readonly string[]> = {
  post: POST,
  article: [...POST, 'h2', 'h3', 'h4', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img'],
};
const ATTRIBUTES: Record<string, readonly string[]> = { a: ['href', 'rel'], img: ['src', 'alt'], ol: ['dir', 'start'] };
const WITHOUT_ATTRIBUTES = ['br', 'em', 'strong', 'del', 'hr', 'table', 'thead', 'tbody', 'tr'];

/**
 * Matches the start of a safe URL. The pattern is independent of the allow list of the renderer, so that the tests
 * detect errors in that list. In addition, the tests resolve every URL as a browser does.
 */
const ADDRESS_START: Record<MarkdownProfile, RegExp> = {
  post: /^(?:https?:\/\/[a-z0-9]|\/(?![/\\]))/iu,
  article: /^(?:https?:\/\/[a-z0-9]|\/(?![/\\])|mailto:[^?&@]+@[^?&@]+$)/iu,
};
const PROTOCOLS: Record<MarkdownProfile, readonly string[]> = {
  post: ['https:', 'http:'],
  article: ['https:', 'http:', 'mailto:'],
};
const OWN_PHOTO = /^\/uploads\/photos\/[a-z0-9-]{1,64}\/(?:320|640|1600)\.(?:avif|webp|jpg)$/u;
const SITE = 'https://alpenglow.example';
const HIDDEN = /[\0-\x08\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]|\p{Cs}/u;

/**
 * Returns the elements, attributes and characters of the HTML that could harm a reader. Parses the HTML as a browser
 * does.
 */
export function unsafePartsOf(html: string, profile: MarkdownProfile): string[] {
  const unsafeParts: string[] = [];
  if (HIDDEN.test(html)) unsafeParts.push('a control character');
  const tree = fromHtml(html, { fragment: true });
  visit(tree, (node) => {
    if (node.type === 'root' || node.type === 'text') return;
    if (node.type !== 'element') {
      unsafeParts.push(`a ${node.type}`);
      return;
    }
    const { tagName } = node;
    if (!ELEMENTS[profile].includes(tagName)) unsafeParts.push(`<${tagName}>`);
    const allowed = ATTRIBUTES[tagName] ?? (WITHOUT_ATTRIBUTES.includes(tagName) ? [] : ['dir']);
    for (const [name, value] of Object.entries(node.properties)) {
      if (!allowed.includes(name)) unsafeParts.push(`${name} of <${tagName}>`);
      // The alternative text of a picture may contain any text, so it is skipped. If a quote in the text ended the
      // attribute, another attribute would follow, which the check above reports.
      if (
        name !== 'alt' &&
        /<script|\bon\w+=|javascript:|data:|vbscript:/iu.test(String(value).replace(/^https?:\/\/\S*|^\/\S*/iu, ''))
      )
        unsafeParts.push(`${name}="${String(value)}"`);
    }
    if (tagName === 'a') unsafeParts.push(...unsafePartsOfLink(node.properties.href, node.properties.rel, profile));
    if (tagName === 'img' && !OWN_PHOTO.test(String(node.properties.src)))
      unsafeParts.push(`src="${String(node.properties.src)}"`);
    if ('dir' in node.properties && !['auto', 'ltr', 'rtl'].includes(String(node.properties.dir)))
      unsafeParts.push(`dir="${String(node.properties.dir)}"`);
  });
  return unsafeParts;
}

function unsafePartsOfLink(href: unknown, rel: unknown, profile: MarkdownProfile): string[] {
  const unsafeParts: string[] = [];
  if (!Array.isArray(rel) || rel.join(' ') !== 'nofollow ugc noopener') unsafeParts.push(`rel="${String(rel)}"`);
  if (
    typeof href !== 'string' ||
    /[\s"'<>\\`]/u.test(href.replaceAll("'", '')) ||
    !ADDRESS_START[profile].test(href) ||
    !URL.canParse(href, SITE)
  )
    return [...unsafeParts, `href="${String(href)}"`];
  const { protocol, origin, username } = new URL(href, SITE);
  if (!PROTOCOLS[profile].includes(protocol) || username !== '' || (href.startsWith('/') && origin !== SITE))
    unsafeParts.push(`href="${href}"`);
  return unsafeParts;
}
