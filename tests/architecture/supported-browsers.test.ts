import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { BROWSERS } from '../../shell/build/packages.mjs';
import { findUnsupportedFeatures } from '../../shell/build/supported-browsers.mjs';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** Returns the features that the build would reject in a script. */
async function findIn(script: string): Promise<readonly string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-script-'));
  folders.push(folder);
  await writeFile(path.join(folder, 'a.js'), script);
  return (await findUnsupportedFeatures(folder)).map((line) => line.replace('a.js: ', ''));
}

it.each([
  ['[2, 1].toSorted()', ['toSorted']],
  ['x.isWellFormed()', ['isWellFormed']],
  ['Object.groupBy(x, f)', ['Object.groupBy']],
  ['Array.fromAsync(x)', ['Array.fromAsync']],
  ['AbortSignal.any([a]); AbortSignal.timeout(1)', ['AbortSignal.any', 'AbortSignal.timeout']],
  ['new OffscreenCanvas(1, 1)', ['OffscreenCanvas']],
  ['/(?<!a)b/u', ['lookbehind in a regular expression']],
  ['new RegExp(`(?<=${a})b`)', ['lookbehind in a regular expression']],
  ['[1].at(-1); Object.hasOwn(a, "b"); structuredClone(a); [1].findLast(f)', []],
  ['"OffscreenCanvas" in globalThis ? new OffscreenCanvas(1, 1) : null', []],
  ['document.startViewTransition?.(f)', []],
  ['import { z } from "zod"; z.union(1)', []],
  ['const found = [1]; found.toSorted()', ['toSorted']],
  ['form.requestSubmit()', ['requestSubmit']],
  ['matchMedia("(width >= 80rem)")', ['range in a media query']],
  ['matchMedia("(min-width: 80rem)")', []],
])('the build reports %s as %j', async (script, features) => {
  expect(await findIn(script)).toEqual(features);
});

it('the documents name the versions of package.json', async () => {
  const version = (name: string) =>
    BROWSERS.find((query) => query.startsWith(name))
      ?.split(' ')
      .at(-1);
  const text = (await readFile(path.resolve(import.meta.dirname, '../../docs/front-end.md'), 'utf8')).replaceAll(
    /\s+/gu,
    ' ',
  );
  expect(version('edge')).toBe(version('chrome'));
  expect(version('ios_saf')).toBe(version('safari'));
  expect(text).toContain(
    `Chrome and Edge from version ${version('chrome')}, Safari from ${version('safari')} ` +
      `and Firefox from ${version('firefox')}`,
  );
});
