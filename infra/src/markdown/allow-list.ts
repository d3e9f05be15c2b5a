import { MEDIA_ID, PHOTO_VARIANTS } from '@alpenglow/domain';
import type { Schema } from 'hast-util-sanitize';

/** What may be written: `post` in the community, `article` on the blog. */
export type MarkdownProfile = 'post' | 'article';

/** Characters of an address after percent-encoding; nothing that a browser reads as a space, a quote or another slash. */
const ADDRESS = "[\\w;/?:@&=+$,\\-.!~*'()#%]";

/** With a host, and without a name or password before it, which would pass for the host. */
const WEB = `https?://[\\w.\\-]+(?::\\d{1,5})?(?:[/?#]${ADDRESS}*)?`;

/** On this site. Two slashes, or a slash and a backslash (encoded by now), would begin with another host. */
const SAME_SITE = `/(?!/|%5C)${ADDRESS}*`;

/** One mailbox, without the parameters that would write the mail. */
const MAIL = "mailto:[\\w.+\\-'~]+@[\\w\\-]+(?:\\.[\\w\\-]+)+";

/** Where a link may lead. Everything else keeps its words and loses its link. */
export const SAFE_HREF: Record<MarkdownProfile, RegExp> = {
  post: new RegExp(`^(?:${WEB}|${SAME_SITE})$`, 'iu'),
  article: new RegExp(`^(?:${WEB}|${SAME_SITE}|${MAIL})$`, 'iu'),
};

/** A photo uploaded here, in one of its variants. */
export const OWN_PHOTO = new RegExp(
  `^/uploads/photos/${MEDIA_ID.source.replace(/^\^|\$$/gu, '')}/(?:${PHOTO_VARIANTS.map((name) => name.replace('.', '\\.')).join('|')})$`,
  'u',
);

/** What search engines and the page a link opens are told of it. */
export const LINK_RELATIONS = ['nofollow', 'ugc', 'noopener'] as const;

/** Elements whose direction follows their own words. */
export const BLOCKS_WITH_TEXT = ['p', 'li', 'h2', 'h3', 'h4', 'blockquote', 'td', 'th'] as const;

const POST_ELEMENTS = ['p', 'br', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'hr'];
const ARTICLE_ELEMENTS = [...POST_ELEMENTS, 'h2', 'h3', 'h4', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img'];

const DIRECTION = ['dir', 'auto', 'ltr', 'rtl'] satisfies [string, ...string[]];

function schemaOf(profile: MarkdownProfile): Schema {
  return {
    tagNames: profile === 'post' ? POST_ELEMENTS : ARTICLE_ELEMENTS,
    attributes: {
      ...Object.fromEntries([...BLOCKS_WITH_TEXT, 'ul', 'ol', 'pre', 'code'].map((name) => [name, [DIRECTION]])),
      ol: ['start', DIRECTION],
      a: [
        ['href', SAFE_HREF[profile]],
        ['rel', ...LINK_RELATIONS],
      ],
      img: [['src', OWN_PHOTO], 'alt'],
    },
    ancestors: { li: ['ul', 'ol'], thead: ['table'], tbody: ['table'], tr: ['table'], th: ['table'], td: ['table'] },
    strip: ['script', 'style'],
    // Whatever is not named here would be taken from the library's own list.
    allowComments: false,
    allowDoctypes: false,
    clobber: [],
    clobberPrefix: '',
    protocols: {},
    required: {},
  };
}

/** All that ever reaches a page. */
export const ALLOW_LISTS: Record<MarkdownProfile, Schema> = { post: schemaOf('post'), article: schemaOf('article') };
