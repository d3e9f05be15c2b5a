import { fromHtml } from 'hast-util-from-html';
import { visit } from 'unist-util-visit';
import type { MarkdownProfile } from '../src/markdown.ts';

const POST = ['p', 'br', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'hr'];
const ELEMENTS: Record<MarkdownProfile, readonly string[]> = {
  post: POST,
  article: [...POST, 'h2', 'h3', 'h4', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img'],
};
const ATTRIBUTES: Record<string, readonly string[]> = { a: ['href', 'rel'], img: ['src', 'alt'], ol: ['dir', 'start'] };
const WITHOUT_ATTRIBUTES = ['br', 'em', 'strong', 'del', 'hr', 'table', 'thead', 'tbody', 'tr'];

/** Written apart from the allow list of the code, and looked at as a browser resolves addresses: what both let through is safe. */
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

/** What in a piece of HTML could do more than be read; empty when nothing could. Reads it with a browser's parser. */
export function faultsOf(html: string, profile: MarkdownProfile): string[] {
  const faults: string[] = [];
  if (HIDDEN.test(html)) faults.push('a control character');
  const tree = fromHtml(html, { fragment: true });
  visit(tree, (node) => {
    if (node.type === 'root' || node.type === 'text') return;
    if (node.type !== 'element') {
      faults.push(`a ${node.type}`);
      return;
    }
    const { tagName } = node;
    if (!ELEMENTS[profile].includes(tagName)) faults.push(`<${tagName}>`);
    const allowed = ATTRIBUTES[tagName] ?? (WITHOUT_ATTRIBUTES.includes(tagName) ? [] : ['dir']);
    for (const [name, value] of Object.entries(node.properties)) {
      if (!allowed.includes(name)) faults.push(`${name} of <${tagName}>`);
      // The words of a picture are words; quotes cannot leave the attribute, or the parser would have found what they left behind.
      if (
        name !== 'alt' &&
        /<script|\bon\w+=|javascript:|data:|vbscript:/iu.test(String(value).replace(/^https?:\/\/\S*|^\/\S*/iu, ''))
      )
        faults.push(`${name}="${String(value)}"`);
    }
    if (tagName === 'a') faults.push(...faultsOfLink(node.properties.href, node.properties.rel, profile));
    if (tagName === 'img' && !OWN_PHOTO.test(String(node.properties.src)))
      faults.push(`src="${String(node.properties.src)}"`);
    if ('dir' in node.properties && !['auto', 'ltr', 'rtl'].includes(String(node.properties.dir)))
      faults.push(`dir="${String(node.properties.dir)}"`);
  });
  return faults;
}

function faultsOfLink(href: unknown, rel: unknown, profile: MarkdownProfile): string[] {
  const faults: string[] = [];
  if (!Array.isArray(rel) || rel.join(' ') !== 'nofollow ugc noopener') faults.push(`rel="${String(rel)}"`);
  if (
    typeof href !== 'string' ||
    /[\s"'<>\\`]/u.test(href.replaceAll("'", '')) ||
    !ADDRESS_START[profile].test(href) ||
    !URL.canParse(href, SITE)
  )
    return [...faults, `href="${String(href)}"`];
  const { protocol, origin, username } = new URL(href, SITE);
  if (!PROTOCOLS[profile].includes(protocol) || username !== '' || (href.startsWith('/') && origin !== SITE))
    faults.push(`href="${href}"`);
  return faults;
}
