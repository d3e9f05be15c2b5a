import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { checkTypes, generateTypes } from '../build/check-types.mjs';
import { REMOTE_NAMES, typesDir } from '../build/packages.mjs';

/**
 * The types that the plugin of Module Federation generates from a remote, and what the shell does with them. The types
 * of one remote take 25 s of processor time, so the others are left to `npm run types`.
 */
const NAME = REMOTE_NAMES.at(-1) ?? '';
const GENERATED = typesDir(NAME);

let dir: string;
beforeAll(async () => {
  await generateTypes(NAME);
});
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'remote-types-'));
  await cp(path.join(GENERATED, '@mf-types'), path.join(dir, '@mf-types'), { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));
afterAll(() => rm(GENERATED, { recursive: true, force: true }));

/** Changes a file of the types. */
async function replace(file: string, before: string, after: string) {
  const changed = path.join(dir, '@mf-types/compiled-types', file);
  const text = await readFile(changed, 'utf8');
  expect(text).toContain(before);
  await writeFile(changed, text.replace(before, after));
}

it('the shell can render the App', () => checkTypes(NAME, GENERATED));

it('the shell cannot render an App that needs another property', async () => {
  await replace(`${NAME}/src/App.d.ts`, ': RemoteProps', ': RemoteProps & { readonly theme: string }');
  await expect(checkTypes(NAME, dir)).rejects.toThrow(/The shell cannot render mf-[\s\S]*Property 'theme' is missing/u);
});

it('the shell cannot render an App that is no component', async () => {
  await replace(`${NAME}/src/App.d.ts`, 'import("react").JSX.Element', '{ readonly text: string }');
  await expect(checkTypes(NAME, dir)).rejects.toThrow('The shell cannot render');
});

it('the shell cannot render an App that was compiled with another contract', async () => {
  await replace('ui/src/host/contract.d.ts', 'export interface Host {', 'export interface Host { openChat(): void;');
  await expect(checkTypes(NAME, dir)).rejects.toThrow(
    /The shell cannot render mf-[\s\S]*Property 'openChat' is missing/u,
  );
});
