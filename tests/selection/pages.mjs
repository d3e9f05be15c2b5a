// @ts-check
/**
 * The front ends whose pages a test opens. Tests run the built front ends and do not import them, so the import graph
 * cannot show this use. All other uses are imports, or paths in strings.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const REMOTES = ['mf-listings', 'mf-post-ad', 'mf-community', 'mf-admin'];

/** Files that every page uses. */
export const EVERY_PAGE = [
  'shell/src/',
  'shell/public/',
  'shell/build/',
  'shell/package.json',
  'ui/src/',
  'ui/package.json',
];

/**
 * The front ends whose pages each browser test opens, by the name of the file. The shell belongs to every page.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PAGES_OF_BROWSER_TESTS = {
  'ad-pages.long': ['mf-listings', 'mf-post-ad', 'mf-admin'],
  'admin-panel.long': ['mf-listings', 'mf-admin'],
  axe: REMOTES,
  'blog.long': ['mf-listings', 'mf-community', 'mf-admin'],
  'browsing.long': ['mf-listings', 'mf-community'],
  canary: ['mf-listings', 'mf-community'],
  'closed-account.long': ['mf-listings', 'mf-community', 'mf-admin'],
  community: ['mf-listings', 'mf-community'],
  'community.long': ['mf-listings', 'mf-community', 'mf-admin'],
  'content-security': REMOTES,
  compat: REMOTES,
  'demo-guide.long': REMOTES,
  'dialog-actions': [],
  'double-click.long': ['mf-listings', 'mf-post-ad', 'mf-community'],
  'every-browser.long': REMOTES,
  failures: [],
  federation: ['mf-listings', 'mf-community'],
  'filters.long': ['mf-listings', 'mf-admin'],
  'finding.long': ['mf-listings', 'mf-community'],
  'flows.long': REMOTES,
  'frame.long': REMOTES,
  'hidden-ad': ['mf-listings', 'mf-post-ad', 'mf-community'],
  'histories.long': ['mf-listings', 'mf-admin'],
  'hot-replacement': ['mf-listings', 'mf-community'],
  hydration: REMOTES,
  'identity.long': ['mf-listings', 'mf-post-ad', 'mf-admin'],
  'keyboard.long': REMOTES,
  'live-notices': ['mf-listings'],
  'live-topics': ['mf-listings'],
  'local-remote': ['mf-listings', 'mf-community'],
  'login-code.long': ['mf-listings'],
  'long-words.long': REMOTES,
  'main-flow': ['mf-listings', 'mf-post-ad'],
  'messages.long': REMOTES,
  'moderation-desk.long': ['mf-listings', 'mf-post-ad', 'mf-admin'],
  'moderation-queue.long': ['mf-listings', 'mf-admin'],
  'moderation.long': ['mf-listings', 'mf-admin'],
  'new-remote': ['mf-listings', 'mf-community'],
  'old-browsers': ['mf-listings', 'mf-post-ad'],
  offline: ['mf-listings', 'mf-community'],
  'node-versions.long': ['mf-listings'],
  'other-repository.long': ['mf-listings', 'mf-community'],
  'outage.long': ['mf-listings'],
  'own-data.long': ['mf-listings', 'mf-admin'],
  'page-errors': ['mf-listings', 'mf-community'],
  panel: ['mf-listings', 'mf-admin'],
  'post-ad-media.long': ['mf-listings', 'mf-post-ad'],
  'private-media': ['mf-listings', 'mf-post-ad', 'mf-admin'],
  'quick-exit': ['mf-listings'],
  removal: ['mf-listings', 'mf-admin'],
  'removal-pictures': ['mf-listings'],
  'remote-alone': ['mf-community'],
  remotes: REMOTES,
  'replay.long': ['mf-listings', 'mf-admin'],
  'restore-reported.long': ['mf-listings', 'mf-community', 'mf-admin'],
  'reviews.long': ['mf-listings', 'mf-admin'],
  routes: REMOTES,
  'rules.long': ['mf-listings', 'mf-post-ad', 'mf-admin'],
  sessions: ['mf-listings', 'mf-post-ad', 'mf-admin'],
  'shared-computer': ['mf-listings', 'mf-post-ad'],
  'shell-versions': ['mf-listings', 'mf-community'],
  'sign-up-again.long': ['mf-listings'],
  'size-budget': REMOTES,
  traces: ['mf-listings', 'mf-admin'],
  'transparency.long': ['mf-listings', 'mf-admin'],
  'two-step.long': ['mf-listings', 'mf-admin'],
  'unsent-texts.long': REMOTES,
  'without-scripts': REMOTES,
};

/** Pages in a test, such as `'/community'` or `${url}/blog`. */
const PAGE_TEXT = /['"`}](?<page>\/[a-z][\w/-]*)/gu;
/** An entry of the list of areas, such as `['/blog', area('mf-community')]`. */
const AREA = /\['(?<pattern>\/[^']*)', \w+\('(?<owner>[^']+)'/gu;
const LOCALE = /^\/(?:de|fr|it)(?=\/)/u;

/**
 * Returns a function that returns the owners of the pages that a test names.
 * @param {string} root
 * @returns {(text: string) => readonly string[]} receives the text of the test. An owner is `shell` or a remote
 */
export function readPageOwners(root) {
  const areas = [...readFileSync(path.join(root, 'shell/src/routes/owners.ts'), 'utf8').matchAll(AREA)].map(
    ({ groups }) => ({ first: firstSegment(groups?.['pattern'] ?? ''), owner: groups?.['owner'] ?? '' }),
  );
  return (text) => {
    const pages = [...text.matchAll(PAGE_TEXT)].map(({ groups }) => firstSegment(groups?.['page'] ?? ''));
    return [...new Set(areas.filter(({ first }) => first !== '' && pages.includes(first)).map(({ owner }) => owner))];
  };
}

/** @param {string} page */
const firstSegment = (page) => page.replace(LOCALE, '').split('/')[1] ?? '';
