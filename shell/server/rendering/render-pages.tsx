/**
 * The bundle with which the shell's server renders pages. It runs in a process that renders the pages of one deployment
 * of one remote, or the shell's own pages (decision 0087).
 */
import './no-web-storage.ts';
import { loadParts } from './loaders.ts';
import { Worker } from 'node:worker_threads';
import { dehydrate, type QueryClient } from '@tanstack/react-query';
import { createQueryClient, toLocalePath, type Locale } from '@alpenglow/ui';
import { SHORT_LIST, withoutParameter } from '@alpenglow/ui/query-string';
import { renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router';
import { startLocale } from '../../src/locale/locale.ts';
import { remotes } from '../../src/remotes/remotes.ts';
import { registerRoutes } from '../../src/routes/owners.ts';
import { Site } from '../../src/site.tsx';
import { escapeScriptJson } from '../html.ts';
import { toBytes, toByteText } from './byte-text.ts';
import { loadApp, type RenderedRemote } from './load-app.ts';

export interface RenderRequest {
  readonly id: number;
  /** Path and query of the page, without the language. */
  readonly url: string;
  readonly locale: Locale;
  readonly isDemo: boolean;
  readonly at_ms: number;
  /** The JSON of the API responses by path, as byte texts. Other API requests are left to the browser. */
  readonly responses: Readonly<Record<string, string>>;
}

/** The HTML of a page and the data with which it was rendered. */
export interface RenderedPage {
  /** A byte text. */
  readonly html: string;
  /** The content of the query cache, as a byte text of JSON that is escaped for a `<script>` element. */
  readonly queries: string;
  /** The chunk names of the lazily loaded parts that the HTML contains, for example pages. */
  readonly lazyParts: readonly string[];
}

export type RenderReply = { readonly id: number } & ({ readonly page: RenderedPage } | { readonly error: string });

/**
 * The maximum number of renders of a page. A render may show new components, which need more data and thus another
 * render. The browser fetches the data that is missing after the last render.
 */
const MAX_RENDERS = 4;

async function provideRemote(remote: RenderedRemote): Promise<void> {
  const { name, hash, routes } = remote;
  registerRoutes(routes.map((route) => ({ ...route, owner: name })));
  remotes.provide(name, await loadApp(remote), hash);
  hasRemote = true;
}

let responses: RenderRequest['responses'] = {};

// The API client of a page uses this function. A response that the page does not have is left to the browser. The lists
// of a page are short, although their paths do not say so.
globalThis.fetch = (input) => {
  const json = typeof input === 'string' ? responses[withoutParameter(input, SHORT_LIST)] : undefined;
  if (json === undefined) return Promise.reject(new TypeError('The server has no response for this request'));
  return Promise.resolve(new Response(toBytes(json), { headers: { 'content-type': 'application/json' } }));
};

/** Fetches each query without data once. Adds its hash to `requested`. Returns false if there is no new data. */
async function fetchMissing(queryClient: QueryClient, requested: Set<string>): Promise<boolean> {
  const missing = queryClient
    .getQueryCache()
    .getAll()
    .filter(({ queryHash, state }) => state.data === undefined && !requested.has(queryHash));
  for (const { queryHash } of missing) requested.add(queryHash);
  const results = await Promise.all(
    missing.map(async (pending) => {
      try {
        await pending.fetch();
        return true;
      } catch {
        // The browser fetches this data, so the page must not contain the error.
        pending.reset();
        return false;
      }
    }),
  );
  return results.includes(true);
}

/** True if this process renders the pages of a remote. The shell's own pages have no queries. */
let hasRemote = false;

async function render(request: RenderRequest): Promise<RenderedPage> {
  const { url, locale, isDemo, at_ms } = request;
  const queryClient = createQueryClient();
  queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retry: false } });
  const lazyParts = new Set<string>();
  const rendering = { at_ms, isDemo, lazyParts, isCollectingQueries: hasRemote };
  globalThis.alpenglowRendering = rendering;
  responses = request.responses;
  startLocale(locale);
  const site = (
    <Site
      queryClient={queryClient}
      router={(basename, content) => (
        <StaticRouter basename={basename} location={toLocalePath(locale, url)}>
          {content}
        </StaticRouter>
      )}
    />
  );
  await loadParts(locale);
  const requested = new Set<string>();
  if (hasRemote) {
    // This render only shows which queries the page has.
    renderToString(site);
    await fetchMissing(queryClient, requested);
    rendering.isCollectingQueries = false;
    lazyParts.clear();
  }
  let html = renderToString(site);
  for (let renders = 1; renders < MAX_RENDERS && (await fetchMissing(queryClient, requested)); renders += 1) {
    lazyParts.clear();
    html = renderToString(site);
  }
  const queries = escapeScriptJson(JSON.stringify(dehydrate(queryClient)));
  queryClient.clear();
  return { html: toByteText(html), queries: toByteText(queries), lazyParts: [...lazyParts] };
}

/** Maximum memory of the process in MB, including memory outside of the JavaScript heap, e.g. arrays of bytes. */
const MEMORY_LIMIT_MB = 384;

/**
 * Ends this child process if it uses too much memory, or if the server process no longer exists. A separate thread
 * checks this, so it also works while a page blocks the main thread.
 */
const WATCHDOG = `
  const { writeSync } = require('node:fs');
  setInterval(() => {
    const isTooLarge = process.memoryUsage.rss() > ${MEMORY_LIMIT_MB * 1024 * 1024};
    if (!isTooLarge && process.ppid === ${process.ppid}) return;
    try {
      if (isTooLarge) writeSync(2, 'The process is out of memory: it needs more than ${MEMORY_LIMIT_MB} MB');
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  }, 100);
`;
/** Ends this process when its input ends, even while a page blocks the main thread. It waits in a separate thread. */
const INPUT_WATCHDOG = `
  const { readSync } = require('node:fs');
  try {
    while (readSync(0, Buffer.alloc(1)) > 0);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
`;
// The sandbox of the server tries to start the program.
if (process.argv.includes('--check')) process.exit();
new Worker(WATCHDOG, { eval: true }).unref();
if (process.argv.includes('--watch-input')) new Worker(INPUT_WATCHDOG, { eval: true }).unref();

// Only this module can then send messages to the server. The code of a remote could send messages that the server does
// not expect.
const send = process.send?.bind(process);
delete process.send;

/** The latest render. The next one starts after it, because renders share global state, e.g. the current language. */
let last: Promise<unknown> = Promise.resolve();

async function reply(request: RenderRequest): Promise<void> {
  let result: RenderReply;
  try {
    result = { id: request.id, page: await render(request) };
  } catch (error) {
    result = { id: request.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  send?.(result);
}

// The first message is the remote, or `shell` for the shell's own pages. Each further message is a page, which may come
// before the remote is loaded. If the remote cannot be loaded, the rejection ends the process.
process.once('message', (remote: RenderedRemote | 'shell') => {
  const started = remote === 'shell' ? Promise.resolve() : provideRemote(remote);
  last = started.then(() => send?.('ready'));
  process.on('message', (request: RenderRequest) => {
    last = last.then(() => reply(request));
  });
});
process.once('disconnect', () => process.exit());
