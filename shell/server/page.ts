import { MINIMUM_AGE_years, PRODUCT_NAME, type PageAd } from '@alpenglow/domain/contracts';
import { escapeHtml } from '@alpenglow/infra';
import type { Registry } from '@alpenglow/ui/contract';
import { EMBEDDED_RESPONSES_ID } from '@alpenglow/ui/embedded-responses';
import { toLocalePath } from '@alpenglow/ui/locale-path';
import { LOCALES, SOURCE_LOCALE, type Locale } from '@alpenglow/ui/locales';
import { DEMO_META } from '../src/demo/demo-meta.ts';
import { BUILD_META } from '../src/reports/build-meta.ts';
import { areasOf, findArea, getContentPath, routesOf, ROUTES_META } from '../src/routes/owners.ts';
import { toBytes, toByteText } from './rendering/byte-text.ts';
import type { RenderedPage } from './rendering/render-pages.tsx';
import { toEmbeddedResponsesJson, type EmbeddedResponse } from './data/embedded-responses.ts';
import { getFirstPictures } from './data/first-pictures.ts';
import type { ShownPreview } from './build-choice.ts';
import { escapeScriptJson } from './html.ts';
import { renderPreviewMark } from './previews.ts';
import { FEEDS } from './feeds/formats.ts';
import type { Head } from './pages/head-parts.ts';
import { createStructuredData } from './pages/structured-data.ts';
import { BODY_SCRIPT, FIRST_SCRIPT, HEAD_SCRIPT, SCRIPTS_ID } from './inline/inline-scripts.ts';
import type { ShellBuild } from './shell-build.ts';
import { TEXTS } from './texts.ts';
import type { Visitor } from './visitor.ts';

const OG_LOCALES: Readonly<Record<Locale, string>> = { en: 'en_US', de: 'de_CH', fr: 'fr_CH', it: 'it_CH' };
/** The picture in link previews of pages without a picture. The file is `shell/public/shared.jpg`. */
const SITE_PICTURE = { path: '/shared.jpg', width_px: 1200, height_px: 630 };
/** The width of a photo or cover in link previews. It is a compromise between quality and download size. */
const SHARED_WIDTH_px = 640;
const THEME_COLORS = { light: '#fbf9f7', dark: '#14131c' } as const;
const MAX_LISTED = 24;
/**
 * These texts stand for the two parts of a rendered page that are encoded already. Texts of users are escaped, so they
 * cannot contain them.
 */
const RENDERED_HTML = '<!--rendered-html-->';
const RENDERED_QUERIES = '<!--rendered-queries-->';

export interface PageInput extends Visitor {
  readonly build: ShellBuild;
  readonly registry: Registry;
  /** The builds of the page that are not live. A mark names them. */
  readonly previews: readonly ShownPreview[];
  readonly pathname: string;
  readonly head: Head;
  readonly origin: string | null;
  readonly isDemo: boolean;
  /** The API responses that the first screen requests. Responses that are not available in time are missing. */
  readonly responses: readonly EmbeddedResponse[];
  /** The HTML of the page. Null if only the browser renders it. */
  readonly rendered: RenderedContent | null;
}

export interface RenderedContent extends RenderedPage {
  readonly at_ms: number;
}

/**
 * Renders the first HTML. It contains the metadata for search engines and link previews, and the API responses that the
 * first screen requests. It preloads the files of the remote that shows the page, so that they load in parallel with
 * the shell. Each preload has the same `integrity` value that the shell uses later. The scripts and their preloads are
 * in a `<template>`, because they are loaded after the first paint, and in supported browsers only.
 * @returns the page in UTF-8
 */
export function renderPage(input: PageInput): Buffer {
  const page = renderText(input);
  const { rendered } = input;
  if (!rendered) return Buffer.from(page);
  const [start = '', afterHtml = ''] = page.split(RENDERED_HTML);
  const [middle = '', end = ''] = afterHtml.split(RENDERED_QUERIES);
  return toBytes(toByteText(start) + rendered.html + toByteText(middle) + rendered.queries + toByteText(end));
}

function renderText(input: PageInput): string {
  const { build, registry, pathname, head, locale, theme, responses } = input;
  const t = TEXTS[locale];
  const routes = routesOf(registry);
  const areas = areasOf(routes);
  const { owner } = findArea(pathname, areas);
  const remote = owner === 'shell' ? undefined : registry.remotes[owner];
  const remoteFiles = [...(remote?.preload ?? []), ...(remote?.preloadTexts?.[locale] ?? [])];
  const ageText = escapeHtml(t('ageText', { age: MINIMUM_AGE_years }));
  const { rendered } = input;
  const data = toEmbeddedResponsesJson(responses, rendered ? RENDERED_QUERIES : null);
  const remotePath = `/mf/${owner}/${remote?.hash ?? ''}/`;
  // The files of the lazily loaded parts that the HTML contains, and those of their texts. Without their style sheets,
  // it would move later.
  const lazyChunks = (rendered?.lazyParts ?? []).flatMap((name) => [name, `${name}-${locale}`]);
  const lazyFiles = lazyChunks.flatMap((name) => [
    ...(remote?.chunks?.[name] ?? []).map((file) => ({ href: remotePath + file, integrity: remote?.integrity[file] })),
    ...(build.chunks?.[name] ?? []).map((file) => ({ href: `/assets/${file}`, integrity: undefined })),
  ]);
  // The browser loads these parts before React takes over the HTML.
  const lazyParts = escapeHtml((rendered?.lazyParts ?? []).join(' '));
  const files = [
    ...remoteFiles.map((file) => ({ href: remotePath + file, integrity: remote?.integrity[file] })),
    ...lazyFiles,
  ];
  const linksOf = (isOfKind: (href: string) => boolean) =>
    files
      .filter(({ href }) => isOfKind(href))
      .map(({ href, integrity }) => fileLink(href, integrity, rendered !== null));
  const styleLinks = linksOf(isStyle).join('\n');
  const scriptTags = [
    ...build.scripts.map((file) => `<script defer src="/assets/${file}"></script>`),
    ...(owner === 'shell' ? [] : ['<link rel="preload" href="/mf/registry.json" as="fetch" crossorigin>']),
    ...(build.texts?.[locale] ?? []).map((file) => `<link rel="preload" href="/assets/${file}" as="script">`),
    ...linksOf((href) => !isStyle(href)),
  ].join('\n');
  return `<!doctype html>
<html lang="${locale}"${theme === 'system' ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${escapeHtml(head.title)}</title>
<meta name="description" content="${escapeHtml(head.description)}">
<script>${FIRST_SCRIPT}</script>
<script>${HEAD_SCRIPT}</script>
<meta name="${BUILD_META}" content="${build.hash}">
${input.isDemo ? `<meta name="${DEMO_META}" content="on">` : ''}
${routes.length > 0 ? `<meta name="${ROUTES_META}" content="${escapeHtml(JSON.stringify(routes))}">` : ''}
${metadata(input)}
<meta name="rating" content="adult">
<meta name="rating" content="RTA-5042-1996-1400-1577-RTA">
<meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}">
${(['light', 'dark'] as const).map((scheme) => themeColor(scheme, theme)).join('\n')}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/icon-192.png">
<link rel="manifest" href="/manifest.webmanifest">
${build.styles.map((file) => `<link rel="stylesheet" href="/assets/${file}">`).join('\n')}
${getFirstPictures(remote?.preloadPictures, getContentPath(pathname, areas), responses)
  .map(
    ({ sources, sizes }) =>
      '<link rel="preload" as="image" type="image/avif" fetchpriority="high" ' +
      `imagesrcset="${escapeHtml(sources)}" imagesizes="${escapeHtml(sizes)}">`,
  )
  .join('\n')}
${build.fonts
  .map((file) => `<link rel="preload" href="/assets/${file}" as="font" type="font/woff2" crossorigin>`)
  .join('\n')}
${styleLinks}
${input.previews.map(({ headHtml = '' }) => headHtml).join('\n')}
</head>
<body>
<p class="old-browser">${escapeHtml(t('oldBrowser', { age: MINIMUM_AGE_years }))}</p>
${
  rendered
    ? `<noscript><p class="age-notice">${escapeHtml(t('noScripts', { age: MINIMUM_AGE_years }))}</p></noscript>
<div id="root" data-rendered-at="${rendered.at_ms}" data-parts="${lazyParts}">${RENDERED_HTML}</div>`
    : `<div id="root"><p class="first-screen" role="status">${escapeHtml(t('loading'))}</p></div>
<noscript><div class="no-script"><h1>${escapeHtml(t('ageTitle'))}</h1><p>${ageText}</p></div></noscript>`
}
${renderPreviewMark(input.previews, t)}
${
  responses.length === 0 && !rendered
    ? ''
    : `<script type="application/json" id="${EMBEDDED_RESPONSES_ID}">${data}</script>`
}
<template id="${SCRIPTS_ID}">${scriptTags}</template>
<script>${BODY_SCRIPT}</script>
</body>
</html>
`.replaceAll(/\n{2,}/gu, '\n');
}

function metadata({ head, origin, locale, responses }: PageInput): string {
  const urlOf = (path: string) => `${origin ?? ''}${path}`;
  const pageUrlOf = (path: string, language: Locale = locale) => urlOf(toLocalePath(language, path));
  const picture = pictureOf(head);
  const image = urlOf(picture.path);
  const listed = responses.flatMap((response) => response.listed.paths).slice(0, MAX_LISTED);
  const data = createStructuredData({ head, urlOf: pageUrlOf, image, locale, t: TEXTS[locale], listed });
  const properties: readonly (readonly [property: string, content: string | null])[] = [
    ['og:site_name', PRODUCT_NAME],
    ['og:title', head.title],
    ['og:description', head.description],
    ['og:type', head.page.kind === 'article' ? 'article' : 'website'],
    ['og:locale', OG_LOCALES[locale]],
    ...LOCALES.filter((other) => other !== locale).map((other) => ['og:locale:alternate', OG_LOCALES[other]] as const),
    // These tags are omitted if the origin is unknown, because search engines and link previews need absolute URLs.
    ['og:url', origin !== null && head.canonical !== null ? pageUrlOf(head.canonical) : null],
    ['og:image', origin === null ? null : image],
    ['og:image:width', origin === null ? null : String(picture.width_px)],
    ['og:image:height', origin === null ? null : String(picture.height_px)],
    ...articleProperties(head),
  ];
  return [
    ...(head.isIndexed ? [] : ['<meta name="robots" content="noindex">']),
    ...(head.canonical === null ? [] : [`<link rel="canonical" href="${escapeHtml(pageUrlOf(head.canonical))}">`]),
    // Search engines need absolute URLs of the other languages.
    ...(head.canonical === null || !head.isIndexed || origin === null
      ? []
      : languageLinks((language) => pageUrlOf(head.canonical ?? '/', language))),
    ...properties.flatMap(([property, content]) =>
      content === null ? [] : [`<meta property="${property}" content="${escapeHtml(content)}">`],
    ),
    '<meta name="twitter:card" content="summary_large_image">',
    // Feed URLs are absolute, so there are no feed links if the origin is unknown.
    ...(head.hasFeeds && origin !== null ? FEEDS : []).map(
      ({ path, type, name }) =>
        `<link rel="alternate" type="${type}" title="${escapeHtml(`${PRODUCT_NAME} · ${name}`)}" ` +
        `href="${escapeHtml(urlOf(path))}">`,
    ),
    ...(data === null ? [] : [`<script type="application/ld+json">${escapeScriptJson(JSON.stringify(data))}</script>`]),
  ].join('\n');
}

/** Returns the links to a page in each language. `x-default` is for visitors with other languages. */
function languageLinks(urlIn: (language: Locale) => string): readonly string[] {
  const names = [...LOCALES.map((language) => [language, language] as const), ['x-default', SOURCE_LOCALE] as const];
  return names.map(
    ([name, language]) => `<link rel="alternate" hreflang="${name}" href="${escapeHtml(urlIn(language))}">`,
  );
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

/** Renders the `theme-color` tag of a color scheme. A chosen theme overrides the theme of the system. */
function themeColor(scheme: 'light' | 'dark', theme: Visitor['theme']): string {
  const media = theme === 'system' ? `(prefers-color-scheme: ${scheme})` : scheme === theme ? 'all' : 'not all';
  return `<meta name="theme-color" content="${THEME_COLORS[scheme]}" media="${media}" data-scheme="${scheme}">`;
}

const isStyle = (href: string) => href.endsWith('.css');

/** Returns the tag that loads a file early. Server-rendered HTML needs its style sheets before it is shown. */
function fileLink(href: string, integrity: string | undefined, isRendered: boolean): string {
  // Files of the shell have no integrity value, and are requested without `crossorigin`.
  const integrityAttribute = integrity === undefined ? '' : ` crossorigin integrity="${integrity}"`;
  if (isStyle(href) && isRendered) return `<link rel="stylesheet" href="${href}"${integrityAttribute}>`;
  return `<link rel="preload" href="${href}" as="${isStyle(href) ? 'style' : 'script'}"${integrityAttribute}>`;
}
