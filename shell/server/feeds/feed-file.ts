import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { articlePath, PRODUCT_NAME, type FeedArticle } from '@alpenglow/domain/contracts';
import { Feed } from 'feed';
import { escapeHtml } from '../html.ts';
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

/** The language of the feed. Articles are written in English, so the other texts of the feed are also in English. */
const LANGUAGE = 'en';
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
    const { title, summary, tags, slug, publishedAt, updatedAt } = article;
    feed.addItem({
      // Atom titles contain HTML, and RSS titles contain plain text.
      title: escapeCdata(name === 'Atom' ? escapeHtml(title) : title),
      link: `${origin}${articlePath(slug)}`,
      date: new Date(updatedAt),
      published: new Date(publishedAt),
      description: escapeCdata(escapeHtml(summary)),
      content: escapeCdata(makeLinksAbsolute(`${coverHtml(article)}${article.html}`, origin)),
      category: tags.map((tag) => (name === 'Atom' ? { term: tag, name: tag } : { name: tag })),
    });
  }
  return name === 'Atom' ? feed.atom1() : feed.rss2();
}

function coverHtml({ cover }: FeedArticle): string {
  if (cover === null || cover.width_px === 0) return '';
  const width_px = Math.min(COVER_WIDTH_px, cover.width_px);
  const height_px = Math.round((cover.height_px * width_px) / cover.width_px);
  const path = `/uploads/photos/${escapeHtml(cover.id)}/${COVER_WIDTH_px}.jpg`;
  return `<p><img src="${path}" width="${width_px}" height="${height_px}" alt=""></p>`;
}
