import { MEDIA_ID, PHOTO_VARIANT_NAMES } from '@alpenglow/domain';
import type { Schema } from 'hast-util-sanitize';

/** The kind of text (a community post or a blog article), which determines the allowed Markdown. */
export type MarkdownProfile = 'post' | 'article';

/**
 * Matches one character of a percent-encoded URL. Does not match a backslash, or characters that browsers treat as a
 * space or a quote.
 */
const URL_CHARACTER = "[\\w;/?:@&=+$,\\-.!~*'()#%]";

/**
 * Matches a web URL with a host. Does not match a URL with a user name or password, because readers could mistake the
 * user name for the host.
 */
const WEB_URL = `https?://[\\w.\\-]+(?::\\d{1,5})?(?:[/?#]${URL_CHARACTER}*)?`;

/**
 * Matches a path on this site. A path must not start with `//` or `/%5C`, because browsers may interpret the text after
 * it as the host of another site.
 */
const SITE_PATH = `/(?!/|%5C)${URL_CHARACTER}*`;

/**
 * Matches a `mailto:` link. Does not match a link with parameters, because parameters could set the text of the mail.
 */
const MAIL_URL = "mailto:[\\w.+\\-'~]+@[\\w\\-]+(?:\\.[\\w\\-]+)+";

/** Matches the allowed targets of links. A link with another target is replaced with its text. */
export const SAFE_HREF: Record<MarkdownProfile, RegExp> = {
  post: new RegExp(`^(?:${WEB_URL}|${SITE_PATH})$`, 'iu'),
  article: new RegExp(`^(?:${WEB_URL}|${SITE_PATH}|${MAIL_URL})$`, 'iu'),
};

const ID = MEDIA_ID.source.replace(/^\^|\$$/gu, '');
const VARIANT = PHOTO_VARIANT_NAMES.map((name) => name.replace('.', '\\.')).join('|');
/** Matches the path of an uploaded photo in one of its variants. */
export const UPLOADED_PHOTO = new RegExp(`^/uploads/photos/${ID}/(?:${VARIANT})$`, 'u');

/** The values of the `rel` attribute that every link gets. */
export const LINK_RELATIONS = ['nofollow', 'ugc', 'noopener'] as const;

/** HTML elements whose text direction depends on their own text. */
export const BLOCKS_WITH_TEXT = ['p', 'li', 'h2', 'h3', 'h4', 'blockquote', 'td', 'th'] as const;

const POST_ELEMENTS = ['p', 'br', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'hr'];
const ARTICLE_ELEMENTS = [...POST_ELEMENTS, 'h2', 'h3', 'h4', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img'];

const DIRECTION = ['dir', 'auto', 'ltr', 'rtl'] satisfies [string, ...string[]];

function createSchema(profile: MarkdownProfile): Schema {
  return {
    tagNames: profile === 'post' ? POST_ELEMENTS : ARTICLE_ELEMENTS,
    attributes: {
      ...Object.fromEntries([...BLOCKS_WITH_TEXT, 'ul', 'ol', 'pre', 'code'].map((name) => [name, [DIRECTION]])),
      ol: ['start', DIRECTION],
      a: [
        ['href', SAFE_HREF[profile]],
        ['rel', ...LINK_RELATIONS],
      ],
      img: [['src', UPLOADED_PHOTO], 'alt'],
    },
    ancestors: { li: ['ul', 'ol'], thead: ['table'], tbody: ['table'], tr: ['table'], th: ['table'], td: ['table'] },
    strip: ['script', 'style'],
    // These options are set explicitly, because the sanitizer library uses its own defaults for missing options.
    allowComments: false,
    allowDoctypes: false,
    clobber: [],
    clobberPrefix: '',
    protocols: {},
    required: {},
  };
}

/** The allowed HTML elements and attributes for each kind of text. The sanitizer removes everything else. */
export const ALLOW_LISTS: Record<MarkdownProfile, Schema> = {
  post: createSchema('post'),
  article: createSchema('article'),
};
