/**
 * The service worker of the site. If a page cannot be loaded because there is no connection, it shows the offline page.
 * It handles nothing but navigations, so it can never serve an outdated file. The shell's server replaces the version
 * (shell/server/offline/routes.ts). docs/operations.md describes how to switch it off.
 */
const CACHE = 'offline-{version}';
const OFFLINE_PAGE = '/offline';
/** Files and data that are not pages of the site. */
const NOT_PAGES = /^\/(?:api|mf|assets|uploads)\//u;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.mode !== 'navigate' || request.method !== 'GET' || NOT_PAGES.test(new URL(request.url).pathname)) return;
  event.respondWith(openPage(event));
});

async function install() {
  const cache = await caches.open(CACHE);
  // The offline page contains its style sheet and its script.
  await cache.add(new Request(OFFLINE_PAGE, { cache: 'reload', credentials: 'omit' }));
  await self.skipWaiting();
}

/** Deletes the offline pages of earlier versions. */
async function activate() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  // The browser then requests a page while it starts the worker.
  await self.registration.navigationPreload?.enable();
}

async function openPage(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(OFFLINE_PAGE)) ?? Response.error();
  }
}
