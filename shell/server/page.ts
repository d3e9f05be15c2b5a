import { MINIMUM_AGE_years, PRODUCT_NAME } from '@alpenglow/domain/contracts';
import type { Registry } from '@alpenglow/ui';
import { areaOf } from '../src/routes/owners.ts';
import type { ShellBuild } from './shell-build.ts';

const DESCRIPTION = `${PRODUCT_NAME} is a discreet, Swiss-hosted classifieds site for adult companionship, massage and similar services. Adults only.`;

export interface PageInput {
  readonly build: ShellBuild;
  readonly registry: Registry;
  readonly pathname: string;
  /** Whether the address carries a query: then the first screen asks for something else than the registry says. */
  readonly hasQuery: boolean;
}

/**
 * The first HTML. It names the files of the remote that owns the address, and the data that its first screen asks for, so that they
 * load beside the shell and not after it; `integrity` stands on each file, as the shell will ask for it.
 */
export function renderPage({ build, registry, pathname, hasQuery }: PageInput): string {
  const { owner } = areaOf(pathname);
  const remote = owner === 'shell' ? undefined : registry.remotes[owner];
  const data = (!hasQuery && remote?.preloadData?.[pathname]) || [];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${PRODUCT_NAME}</title>
<meta name="description" content="${DESCRIPTION}">
<meta name="rating" content="adult">
<meta name="rating" content="RTA-5042-1996-1400-1577-RTA">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#fbf9f7" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#14131c" media="(prefers-color-scheme: dark)">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="manifest" href="/manifest.webmanifest">
${build.styles.map((file) => `<link rel="stylesheet" href="/assets/${file}">`).join('\n')}
${build.scripts.map((file) => `<script defer src="/assets/${file}"></script>`).join('\n')}
${build.fonts.map((file) => `<link rel="preload" href="/assets/${file}" as="font" type="font/woff2" crossorigin>`).join('\n')}
${['/mf/registry.json', ...data].map((href) => `<link rel="preload" href="${href}" as="fetch" crossorigin>`).join('\n')}
${(remote?.preload ?? []).map((file) => preload(`/mf/${owner}/${remote?.hash ?? ''}/${file}`, remote?.integrity[file])).join('\n')}
</head>
<body>
<div id="root"><p class="first-screen" role="status">Loading ${PRODUCT_NAME}…</p></div>
<noscript><div class="no-script"><h1>${PRODUCT_NAME} is for adults</h1><p>You must be at least ${MINIMUM_AGE_years} years old to enter. This site needs JavaScript to ask for your age; please switch it on and load the page again.</p></div></noscript>
</body>
</html>
`;
}

function preload(href: string, integrity: string | undefined): string {
  const as = href.endsWith('.css') ? 'style' : 'script';
  return `<link rel="preload" href="${href}" as="${as}" crossorigin${integrity === undefined ? '' : ` integrity="${integrity}"`}>`;
}
