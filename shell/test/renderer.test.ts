import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CONTRACT_VERSION, type RegistryEntry } from '@alpenglow/ui/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { digestOf } from '../build/digests.mjs';
import { createRenderer, type Renderer } from '../server/rendering/renderer.ts';

/** What counts as a page that a build could not render (decision 0122). The rendering processes are small programs. */

const CODE = 'exports.init = () => undefined;';
const ENTRY: RegistryEntry = {
  ...{ name: 'mf-listings', hash: 'a'.repeat(16), contract: CONTRACT_VERSION, fits: true, container: 'mf_listings' },
  ...{ entry: 'e.js', preload: [], integrity: {}, sizeBytes: 1, deployedAt: '' },
  server: { integrity: digestOf(CODE) },
};
const PAGE = { url: '/listings', locale: 'en', isDemo: false, at_ms: 0, responses: {} } as const;
/** The number of pages that wait at most (render-process.ts). */
const WAITING_MAX = 250;

let dir: string;
let renderer: Renderer;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'renderer-'));
  const folder = path.join(dir, 'mf', ENTRY.name, ENTRY.hash, 'server');
  await mkdir(folder, { recursive: true });
  await mkdir(path.join(dir, 'dist/server'), { recursive: true });
  await writeFile(path.join(folder, 'server.cjs'), CODE);
});
afterEach(async () => {
  await renderer.close();
  await rm(dir, { recursive: true, force: true });
});

/** Requests pages at the same time from a process that runs `onPages` with the messages of all pages so far. */
async function render(count: number, onPages: string): Promise<readonly unknown[]> {
  await writeFile(
    path.join(dir, 'dist/server/server.cjs'),
    `const pages = [];
    process.on('message', (message) => {
      if (message.id === undefined) return process.send('ready');
      pages.push(message);
      ${onPages}
    });`,
  );
  renderer = createRenderer({
    mfDir: path.join(dir, 'mf'),
    distDir: path.join(dir, 'dist'),
    log: { warn: () => undefined },
  });
  return Promise.all(Array.from({ length: count }, () => renderer.render(ENTRY, PAGE)));
}
const REPLY = '{ id, page: { html: String(id) } }';

it('a process that ends counts once, no matter how many pages wait for it', async () => {
  const pages = await render(20, 'if (pages.length === 20) process.exit(3);');
  expect(pages).toEqual(Array(20).fill(null));
  expect(renderer.countRendered(ENTRY)).toEqual({ all: 1, bad: 1 });
});

it('pages that are requested during the pause after a failure are not counted', async () => {
  await render(1, 'process.exit(3);');
  for (let page = 0; page < 20; page++) expect(await renderer.render(ENTRY, PAGE)).toBeNull();
  expect(renderer.countRendered(ENTRY)).toEqual({ all: 1, bad: 1 });
});

it('pages that do not find a place in the queue are not counted', async () => {
  const pages = await render(
    WAITING_MAX + 10,
    `if (pages.length === ${WAITING_MAX}) for (const { id } of pages) process.send(${REPLY});`,
  );
  expect(pages.filter((page) => page === null)).toHaveLength(10);
  expect(renderer.countRendered(ENTRY)).toEqual({ all: WAITING_MAX, bad: 0 });
});

it('each page whose code throws is counted', async () => {
  await render(4, `const { id } = message; process.send(id === 1 ? ${REPLY} : { id, error: 'broken' });`);
  expect(renderer.countRendered(ENTRY)).toEqual({ all: 4, bad: 3 });
});
