import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { articlePath, PRODUCT_NAME, type FeedArticle } from '@alpenglow/domain/contracts';
import { Feed } from 'feed';
import { escaped } from '../html.ts';
import { TEXTS } from '../texts.ts';
import { withAbsoluteLinks } from './absolute-links.ts';
import type { FeedFormat } from './formats.ts';
import { inCdata } from './xml-text.ts';

/** A feed ready to be sent. */
export interface FeedFile {
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
}

/** Articles are written in the source language, so the feed of them is told in it. */
const LANGUAGE = 'en';
const COVER_WIDTH_px = 640;
const NEVER = new Date(0);

/** The feed of these articles, the newest first, with their whole text. `origin` begins every address in it. */
export async function feedFile(
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
    // The same articles are the same feed, whenever it is made.
    updated: changes.length === 0 ? NEVER : new Date(Math.max(...changes)),
    generator: false,
  });
  for (const article of articles) {
    const { title, summary, tags, slug, publishedAt, updatedAt } = article;
    feed.addItem({
      // Atom says that its titles are HTML; those of RSS are plain.
      title: inCdata(name === 'Atom' ? escaped(title) : title),
      link: `${origin}${articlePath(slug)}`,
      date: new Date(updatedAt),
      published: new Date(publishedAt),
      description: inCdata(escaped(summary)),
      content: inCdata(withAbsoluteLinks(`${coverHtml(article)}${article.html}`, origin)),
      category: tags.map((tag) => (name === 'Atom' ? { term: tag, name: tag } : { name: tag })),
    });
  }
  return name === 'Atom' ? feed.atom1() : feed.rss2();
}

function coverHtml({ cover }: FeedArticle): string {
  if (cover === null || cover.width_px === 0) return '';
  const width_px = Math.min(COVER_WIDTH_px, cover.width_px);
  const height_px = Math.round((cover.height_px * width_px) / cover.width_px);
  return `<p><img src="/uploads/photos/${escaped(cover.id)}/${COVER_WIDTH_px}.jpg" width="${width_px}" height="${height_px}" alt=""></p>`;
}
