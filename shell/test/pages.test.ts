import { CONTRACT_VERSION, type RegistryEntry } from '@alpenglow/ui/contract';
import { beforeEach, expect, it } from 'vitest';
import type { BuildChoice } from '../server/build-choice.ts';
import { createPages, type PageRequest } from '../server/pages/pages.ts';
import type { LiveBuilds } from '../server/registry-file.ts';

/** Which builds a page contains while a deployment replaces the live ones (decision 0121). */

const NAME = 'mf-community';
const BUILD = { hash: 'f'.repeat(16), sizeBytes: 1, scripts: ['shell.js'], styles: [], texts: {}, fonts: [] };

let get: (builds: BuildChoice) => Promise<string>;

beforeEach(() => {
  const pages = createPages({
    build: BUILD,
    reads: null,
    isDemo: false,
    log: { warn: () => undefined },
    renderer: {
      render: () => Promise.resolve(null),
      follow: () => undefined,
      countRendered: () => ({ all: 0, bad: 0 }),
      close: () => Promise.resolve(),
    },
  });
  get = async (builds) => {
    const visitor = { locale: 'en', theme: 'system', origin: null, encoding: 'identity' } as const;
    const request: PageRequest = { ...visitor, pathname: '/community', search: '', builds };
    return (await pages(request)).body.toString();
  };
});

function entryOf(hash: string): RegistryEntry {
  return {
    ...{
      name: NAME,
      hash,
      contract: CONTRACT_VERSION,
      fits: true,
      container: 'mf_community',
      entry: 'remote-entry.js',
    },
    ...{ preload: ['remote-entry.js'], integrity: {}, sizeBytes: 1, deployedAt: '' },
  };
}

/** Returns the live builds after a deployment. */
function deploy(hash: string): LiveBuilds {
  const entry = entryOf(hash);
  return { remotes: { [NAME]: entry }, builds: { [NAME]: [entry] }, canaries: {} };
}

const chooseLive = (live: LiveBuilds): BuildChoice => ({
  ...{ live, registry: live, variant: '', previews: [], newBucket: null },
});

const choosePreview = (live: LiveBuilds, hash: string): BuildChoice => ({
  ...chooseLive(live),
  registry: { remotes: { [NAME]: entryOf(hash) } },
  variant: `preview:${NAME}:${hash}`,
  previews: [{ name: NAME, hash, liveHash: live.remotes[NAME]?.hash ?? null }],
});

const [FIRST, SECOND, PREVIEW] = ['a'.repeat(16), 'b'.repeat(16), 'c'.repeat(16)];
const fileOf = (hash: string) => `/mf/${NAME}/${hash}/remote-entry.js`;
const markOf = (liveHash: string) => `<p>${NAME}: version ${PREVIEW} instead of ${liveHash}</p>`;

it('a page of a preview has the preview and its mark, also if a deployment came before it was rendered', async () => {
  const [before, after] = [deploy(FIRST), deploy(SECOND)];
  await get(chooseLive(before));
  await get(chooseLive(after));
  const late = await get(choosePreview(before, PREVIEW));
  expect(late).toContain(fileOf(PREVIEW));
  expect(late).toContain(markOf(FIRST));
  const next = await get(choosePreview(after, PREVIEW));
  expect(next, 'the page of the late request is not cached').toContain(markOf(SECOND));
});

it('a page without a preview has the new live build if a deployment came before it was rendered', async () => {
  const [before, after] = [deploy(FIRST), deploy(SECOND)];
  expect(await get(chooseLive(before))).toContain(fileOf(FIRST));
  expect(await get(chooseLive(after))).toContain(fileOf(SECOND));
  const late = await get(chooseLive(before));
  expect(late).toContain(fileOf(SECOND));
  expect(late).not.toContain(fileOf(FIRST));
});

it('no request gets the cached page of another choice of builds', async () => {
  const live = deploy(FIRST);
  const pages = await Promise.all([get(choosePreview(live, PREVIEW)), get(chooseLive(live))]);
  expect(pages.map((page) => page.includes(fileOf(PREVIEW)))).toEqual([true, false]);
  expect(pages.map((page) => page.includes('preview-mark'))).toEqual([true, false]);
});
