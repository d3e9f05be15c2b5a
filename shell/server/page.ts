import { MINIMUM_AGE_years, PRODUCT_NAME, type PageAd } from '@alpenglow/domain/contracts';
import type { Registry } from '@alpenglow/ui/contract';
import { FIRST_ANSWERS_ID } from '@alpenglow/ui/first-answers';
import { LOCALES, type Locale } from '@alpenglow/ui/locales';
import { areaOf } from '../src/routes/owners.ts';
import { firstAnswersJson, type FirstAnswer } from './data/first-answers.ts';
import { firstPictures } from './data/first-pictures.ts';
import { escaped, inScript } from './html.ts';
import { FEEDS } from './feeds/formats.ts';
import type { Head } from './pages/head-parts.ts';
import { structuredData } from './pages/structured-data.ts';
import type { ShellBuild } from './shell-build.ts';
import { TEXTS } from './texts.ts';
import type { Visitor } from './visitor.ts';

/** As Open Graph writes languages. */
const OG_LOCALES: Readonly<Record<Locale, string>> = { en: 'en_US', de: 'de_CH', fr: 'fr_CH', it: 'it_CH' };
/** Shown where a page is shared that has no picture of its own: `shell/public/shared.jpg`. */
const SITE_PICTURE = { path: '/shared.jpg', width_px: 1200, height_px: 630 };
/** Of an ad's photo or an article's cover: large enough to be shown large, small enough to be fetched by everybody. */
const SHARED_WIDTH_px = 640;
const THEME_COLORS = { light: '#fbf9f7', dark: '#14131c' } as const;
/** As much as search engines read of a list. */
const MOST_LISTED = 24;

export interface PageInput extends Visitor {
  readonly build: ShellBuild;
  readonly registry: Registry;
  readonly pathname: string;
  readonly head: Head;
  /** Absolute addresses begin with it; null where it is not known. */
  readonly origin: string | null;
  /** Answers of the API that the first screen asks for, as far as they are there. */
  readonly answers: readonly FirstAnswer[];
}

/**
 * The first HTML: what search engines and shared links show, the answers the first screen asks for, and the files of the remote that owns
 * the address, so that they load beside the shell and not after it; `integrity` stands on each, as the shell will ask for it.
 */
export function renderPage(input: PageInput): string {
  const { build, registry, pathname, head, locale, theme, answers } = input;
  const t = TEXTS[locale];
  const { owner } = areaOf(pathname);
  const remote = owner === 'shell' ? undefined : registry.remotes[owner];
  const remoteFiles = [...(remote?.preload ?? []), ...(remote?.preloadTexts?.[locale] ?? [])];
  return `<!doctype html>
<html lang="${locale}"${theme === 'system' ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${escaped(head.title)}</title>
<meta name="description" content="${escaped(head.description)}">
${about(input)}
<meta name="rating" content="adult">
<meta name="rating" content="RTA-5042-1996-1400-1577-RTA">
<meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}">
${(['light', 'dark'] as const).map((scheme) => themeColor(scheme, theme)).join('\n')}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="manifest" href="/manifest.webmanifest">
${build.styles.map((file) => `<link rel="stylesheet" href="/assets/${file}">`).join('\n')}
${firstPictures(remote?.preloadPictures, pathname, answers)
  .map(
    ({ sources, sizes }) =>
      `<link rel="preload" as="image" type="image/avif" fetchpriority="high" imagesrcset="${escaped(sources)}" imagesizes="${escaped(sizes)}">`,
  )
  .join('\n')}
${build.scripts.map((file) => `<script defer src="/assets/${file}"></script>`).join('\n')}
${build.fonts.map((file) => `<link rel="preload" href="/assets/${file}" as="font" type="font/woff2" crossorigin>`).join('\n')}
${owner === 'shell' ? '' : '<link rel="preload" href="/mf/registry.json" as="fetch" crossorigin>'}
${(build.texts?.[locale] ?? []).map((file) => `<link rel="preload" href="/assets/${file}" as="script">`).join('\n')}
${remoteFiles.map((file) => preload(`/mf/${owner}/${remote?.hash ?? ''}/${file}`, remote?.integrity[file])).join('\n')}
</head>
<body>
<div id="root"><p class="first-screen" role="status">${escaped(t('loading'))}</p></div>
${answers.length === 0 ? '' : `<script type="application/json" id="${FIRST_ANSWERS_ID}">${firstAnswersJson(answers)}</script>`}
<noscript><div class="no-script"><h1>${escaped(t('ageTitle'))}</h1><p>${escaped(t('ageText', { age: MINIMUM_AGE_years }))}</p></div></noscript>
</body>
</html>
`.replaceAll(/\n{2,}/gu, '\n');
}

/** Canonical address, Open Graph and JSON-LD. */
function about({ head, origin, locale, answers }: PageInput): string {
  const urlOf = (path: string) => `${origin ?? ''}${path}`;
  const picture = pictureOf(head);
  const image = urlOf(picture.path);
  const listed = answers.flatMap((answer) => answer.listed.paths).slice(0, MOST_LISTED);
  const data = structuredData({ head, urlOf, image, locale, t: TEXTS[locale], listed });
  const properties: readonly (readonly [property: string, content: string | null])[] = [
    ['og:site_name', PRODUCT_NAME],
    ['og:title', head.title],
    ['og:description', head.description],
    ['og:type', head.page.kind === 'article' ? 'article' : 'website'],
    ['og:locale', OG_LOCALES[locale]],
    ...LOCALES.filter((other) => other !== locale).map((other) => ['og:locale:alternate', OG_LOCALES[other]] as const),
    // Of these nobody makes use unless they are absolute.
    ['og:url', origin !== null && head.canonical !== null ? urlOf(head.canonical) : null],
    ['og:image', origin === null ? null : image],
    ['og:image:width', origin === null ? null : String(picture.width_px)],
    ['og:image:height', origin === null ? null : String(picture.height_px)],
    ...articleProperties(head),
  ];
  return [
    ...(head.isIndexed ? [] : ['<meta name="robots" content="noindex">']),
    ...(head.canonical === null ? [] : [`<link rel="canonical" href="${escaped(urlOf(head.canonical))}">`]),
    ...properties.flatMap(([property, content]) =>
      content === null ? [] : [`<meta property="${property}" content="${escaped(content)}">`],
    ),
    '<meta name="twitter:card" content="summary_large_image">',
    // Their addresses are absolute, so there are none where the site's own is not known.
    ...(head.hasFeeds && origin !== null ? FEEDS : []).map(
      ({ path, type, name }) =>
        `<link rel="alternate" type="${type}" title="${escaped(`${PRODUCT_NAME} · ${name}`)}" href="${escaped(urlOf(path))}">`,
    ),
    ...(data === null ? [] : [`<script type="application/ld+json">${inScript(JSON.stringify(data))}</script>`]),
  ].join('\n');
}

function articleProperties({ page }: Head): readonly (readonly [property: string, content: string])[] {
  if (page.kind !== 'article') return [];
  const { publishedAt, updatedAt, tags } = page.article;
  return [
    ['article:published_time', publishedAt],
    ['article:modified_time', updatedAt],
    ...tags.map((tag) => ['article:tag', tag] as const),
  ];
}

function coverOf({ page }: Head): PageAd['cover'] {
  if (page.kind === 'article') return page.article.cover;
  return page.kind === 'ad' && page.ad.isListed ? page.ad.cover : null;
}

function pictureOf(head: Head): typeof SITE_PICTURE {
  const cover = coverOf(head);
  if (!cover || cover.width_px === 0) return SITE_PICTURE;
  const width_px = Math.min(SHARED_WIDTH_px, cover.width_px);
  return {
    path: `/uploads/photos/${cover.id}/${SHARED_WIDTH_px}.jpg`,
    width_px,
    height_px: Math.round((cover.height_px * width_px) / cover.width_px),
  };
}

/** One for each scheme; where a visitor chose one, it alone counts (shell/src/theme/theme.ts). */
function themeColor(scheme: 'light' | 'dark', theme: Visitor['theme']): string {
  const media = theme === 'system' ? `(prefers-color-scheme: ${scheme})` : scheme === theme ? 'all' : 'not all';
  return `<meta name="theme-color" content="${THEME_COLORS[scheme]}" media="${media}" data-scheme="${scheme}">`;
}

function preload(href: string, integrity: string | undefined): string {
  const as = href.endsWith('.css') ? 'style' : 'script';
  return `<link rel="preload" href="${href}" as="${as}" crossorigin${integrity === undefined ? '' : ` integrity="${integrity}"`}>`;
}
