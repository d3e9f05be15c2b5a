import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { articlePath, DEFAULT_ARTICLE_LANGUAGE, PRODUCT_NAME, type FeedArticle } from '@alpenglow/domain/contracts';
import { escapeHtml } from '@alpenglow/infra';
import { Feed } from 'feed';
import { TEXTS } from '../texts.ts';
import { makeLinksAbsolute } from './absolute-links.ts';
import type { FeedFormat } from './formats.ts';
import { escapeCdata } from './xml-text.ts';

/** A feed that is ready to be sent. */
export interface FeedFile {
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
}

/** The language of the feed's own texts. It is the default language of articles. */
const LANGUAGE = DEFAULT_ARTICLE_LANGUAGE;
const COVER_WIDTH_px = 640;
const NEVER = new Date(0);

/** Creates a feed with the full text of `articles`. Every URL starts with `origin`. */
export async function createFeedFile(
  format: FeedFormat,
  articles: readonly FeedArticle[],
  origin: string,
): Promise<FeedFile> {
  const text = feedXml(format, articles, origin);
  const body = Buffer.from(text);
  return { body, gzip: await promisify(gzip)(body), etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
}

function feedXml({ name, path }: FeedFormat, articles: readonly FeedArticle[], origin: string): string {
  const t = TEXTS[LANGUAGE];
  const changes = articles.map(({ updatedAt }) => Date.parse(updatedAt));
  const feed = new Feed({
    id: `${origin}/blog`,
    title: `${PRODUCT_NAME} · ${t('blog')}`,
    description: t('blogText'),
    link: `${origin}/blog`,
    feed: `${origin}${path}`,
    language: LANGUAGE,
    author: { name: PRODUCT_NAME, link: `${origin}/` },
    // The time of the last change is used instead of the current time. The same articles therefore always create the
    // same bytes and the same ETag.
    updated: changes.length === 0 ? NEVER : new Date(Math.max(...changes)),
    generator: false,
  });
  for (const article of articles) {
    const { title, summary, language, tags, slug, publishedAt, updatedAt } = article;
    const html = `<div lang="${escapeHtml(language)}">${coverHtml(article)}${article.html}</div>`;
    feed.addItem({
      // Atom titles contain HTML, and RSS titles contain plain text.
      title: escapeCdata(name === 'Atom' ? escapeHtml(title) : title),
      link: `${origin}${articlePath(slug)}`,
      date: new Date(updatedAt),
      published: new Date(publishedAt),
      description: escapeCdata(escapeHtml(summary)),
      content: escapeCdata(makeLinksAbsolute(html, origin)),
      category: tags.map((tag) => (name === 'Atom' ? { term: tag, name: tag } : { name: tag })),
      ...(name === 'RSS' && { extensions: [{ name: 'dc:language', objects: { _text: language } }] }),
    });
  }
  return name === 'Atom' ? addEntryLanguages(feed.atom1(), articles) : feed.rss2();
}

/**
 * Adds the language of each article to its entry in an Atom feed, because the library cannot write it. No text of an
 * article contains the tag of an entry, because all texts are escaped.
 */
function addEntryLanguages(xml: string, articles: readonly FeedArticle[]): string {
  const languages = articles.values();
  return xml.replaceAll('<entry>', () => `<entry xml:lang="${escapeHtml(languages.next().value?.language ?? '')}">`);
}

function coverHtml({ cover }: FeedArticle): string {
  if (cover === null || cover.width_px === 0) return '';
  const width_px = Math.min(COVER_WIDTH_px, cover.width_px);
  const height_px = Math.round((cover.height_px * width_px) / cover.width_px);
  const path = `/uploads/photos/${escapeHtml(cover.id)}/${COVER_WIDTH_px}.jpg`;
  return `<p><img src="${path}" width="${width_px}" height="${height_px}" alt=""></p>`;
}
