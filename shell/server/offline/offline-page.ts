import { PRODUCT_NAME } from '@alpenglow/domain/contracts';
import { escapeHtml } from '@alpenglow/infra';
import { LOCALES, type Locale } from '@alpenglow/ui/locales';
import { digestOf } from '../../build/digests.mjs';
import { NEUTRAL_SITE } from '../../src/exit/neutral-site.ts';
import { TEXTS } from '../texts.ts';

export interface OfflinePage {
  readonly html: string;
  /** The content security policy. It allows only the style sheet and the script that the page contains. */
  readonly policy: string;
}

/**
 * Creates the page that the service worker shows without a connection. It contains everything it needs, and its text in
 * every language, so that the service worker stores one file only.
 */
export function createOfflinePage({ style, script }: { readonly style: string; readonly script: string }): OfflinePage {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="rating" content="RTA-5042-1996-1400-1577-RTA">
<title>${PRODUCT_NAME}</title>
<style>${style}</style>
</head>
<body>
${LOCALES.map(createPart).join('\n')}
<script>${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src '${digestOf(style)}'`,
    `script-src '${digestOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return { html, policy };
}

function createPart(locale: Locale): string {
  const t = (id: Parameters<(typeof TEXTS)[Locale]>[0]) => escapeHtml(TEXTS[locale](id));
  return `<div data-locale lang="${locale}">
<header>${PRODUCT_NAME} <a href="${NEUTRAL_SITE}" rel="noreferrer" data-exit>${t('quickExit')}</a></header>
<main>
<h1>${t('offlineTitle')}</h1>
<p>${t('offlineText')}</p>
<p><a href="" data-retry>${t('offlineRetry')}</a></p>
<section data-favorites hidden>
<h2>${t('offlineFavorites')}</h2>
<p class="note" data-note hidden>${t('offlineFavoritesNote')}</p>
<p data-none hidden>${t('offlineNone')}</p>
<ul></ul>
</section>
</main>
</div>`;
}
