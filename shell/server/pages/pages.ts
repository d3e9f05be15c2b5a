import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { PageReads } from '@alpenglow/domain/contracts';
import type { Registry } from '@alpenglow/ui/contract';
import { areaOf } from '../../src/routes/owners.ts';
import { createFirstAnswers, type FirstAnswer } from '../data/first-answers.ts';
import { createKept } from '../data/kept.ts';
import { wantedAnswers } from '../data/wanted-answers.ts';
import { withinTime } from '../data/within-time.ts';
import { renderPage } from '../page.ts';
import type { ShellBuild } from '../shell-build.ts';
import { TEXTS } from '../texts.ts';
import type { Visitor } from '../visitor.ts';
import type { HeadInput } from './head-parts.ts';
import { headOf } from './head.ts';
import { subjectOf, type Subject } from './subject.ts';

export type PageEncoding = 'br' | 'gzip' | 'identity';

export interface PageRequest extends Visitor {
  readonly origin: string | null;
  readonly pathname: string;
  /** With `?`, or empty. */
  readonly search: string;
  readonly encoding: PageEncoding;
}

/** A page ready to be sent. */
export interface SentPage {
  readonly status: 200 | 404;
  /** Null; else where to go instead, for good, with the query. */
  readonly movedTo: string | null;
  readonly body: Buffer;
  readonly etag: string;
}

export interface PagesOptions {
  readonly build: ShellBuild;
  readonly registry: () => Promise<Registry>;
  /** Null: pages come without data. */
  readonly reads: PageReads | null;
  readonly log: { warn(fields: object, text: string): void };
}

/** No page waits longer for its data: without it the browser asks itself. */
const DATA_LIMIT_ms = 150;
/** A page is the same for everybody who speaks one language. */
const LIFETIME_ms = 1_000;
const MOST_PAGES = 300;
const MOST_SUBJECTS = 1_000;
/** An address longer than this is made for its own sake: nobody else asks for it. */
const LONGEST_KEPT = 600;

const compress: Readonly<Record<PageEncoding, (html: Buffer) => Promise<Buffer>>> = {
  br: (html) => promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (html) => promisify(gzip)(html),
  identity: (html) => Promise.resolve(html),
};

/** What an address names, as far as it could be asked for. */
type Found = Pick<HeadInput, 'ad' | 'thread' | 'article'>;

async function read(reads: PageReads, subject: Subject): Promise<Found> {
  switch (subject.kind) {
    case 'ad':
      return { ad: await reads.ad(subject.id) };
    case 'thread':
      return { thread: await reads.thread(subject.idOrSlug) };
    case 'article':
      return { article: await reads.article(subject.slug) };
  }
}

/** Makes pages, with their data where it is there in time; never rejects because of it. */
export function createPages({
  build,
  registry,
  reads,
  log,
}: PagesOptions): (request: PageRequest) => Promise<SentPage> {
  const answersOf = reads && createFirstAnswers(reads);
  const subjects =
    reads &&
    createKept({
      make: (key) => read(reads, JSON.parse(key) as Subject),
      lifetime_ms: LIFETIME_ms,
      max: MOST_SUBJECTS,
    });
  const pages = createKept({
    make: (key) => make(JSON.parse(key) as PageRequest),
    lifetime_ms: LIFETIME_ms,
    max: MOST_PAGES,
  });
  let deployed: Registry | null = null;

  /** What a page needs, or what is said for lack of it. */
  async function inTime<Value, Otherwise>(
    what: string,
    value: Promise<Value>,
    otherwise: Otherwise,
  ): Promise<Value | Otherwise> {
    try {
      return await withinTime(value, DATA_LIMIT_ms, otherwise);
    } catch (err) {
      log.warn({ err, what }, 'a page came without data');
      return otherwise;
    }
  }

  async function make({ origin, pathname, search, encoding, locale, theme }: PageRequest): Promise<SentPage> {
    const known = await registry();
    const { owner } = areaOf(pathname);
    const preloadData = owner === 'shell' ? undefined : known.remotes[owner]?.preloadData;
    const subject = subjectOf(pathname);
    const [found, answers] = await Promise.all([
      subject === null || !subjects
        ? {}
        : inTime<Found, Found>(subject.kind, subjects.get(JSON.stringify(subject)), {}),
      answersOf
        ? inTime<readonly FirstAnswer[], readonly FirstAnswer[]>(
            'answers',
            answersOf(wantedAnswers(preloadData, pathname, search)),
            [],
          )
        : [],
    ]);
    const head = headOf({ pathname, search, t: TEXTS[locale], ...found });
    const html = renderPage({ build, registry: known, pathname, head, origin, locale, theme, answers });
    const body = await compress[encoding](Buffer.from(html));
    return {
      status: head.status,
      movedTo: head.movedTo === null ? null : `${head.movedTo}${search}`,
      body,
      etag: `W/"${createHash('sha1').update(body).digest('base64url')}"`,
    };
  }

  return async (request) => {
    const now = await registry();
    // A deploy is seen at once.
    if (now !== deployed) pages.clear();
    deployed = now;
    const { origin, pathname, search, encoding, locale, theme } = request;
    if (pathname.length + search.length > LONGEST_KEPT) return make(request);
    return pages.get(JSON.stringify({ origin, pathname, search, encoding, locale, theme })).catch(() => make(request));
  };
}
