import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { path as bundledPath } from 'ffprobe-static';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** The choice between the ffprobe of the operating system and the bundled one of 2018 (decision 0058). */

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-ffprobe-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the choice on a system whose ffprobe is a script that runs `commands`. Null stands for no ffprobe. */
async function choose(commands: string | null): Promise<string> {
  const program = path.join(folder, 'ffprobe');
  if (commands !== null) {
    await writeFile(program, `#!/bin/sh\n${commands}\n`);
    await chmod(program, 0o755);
  }
  vi.stubEnv('PATH', folder);
  vi.resetModules();
  const { findFfprobe } = await import('../decoder/find-ffprobe.mjs');
  return findFfprobe();
}
const printing = (version: string) => `echo 'ffprobe version ${version} Copyright (c) the FFmpeg developers'`;

test.each(['5.1.9-0+deb12u1', '7.1', 'n6.0.1', 'N-121000-gabcdef', '2026-01-01-git-abc'])(
  'prefers the ffprobe of the system with version %s',
  async (version) => {
    expect(await choose(printing(version))).toBe('ffprobe');
  },
);

test.each([
  ['it is too old', printing('4.4.2')],
  ['it does not start', 'exit 1'],
  ['it prints something else', 'echo hello'],
  ['the system has none', null],
])('falls back to the bundled ffprobe if %s', async (_, commands) => {
  expect(await choose(commands)).toBe(bundledPath);
});
