import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKafka } from '../engines/kafka.mjs';

/** The login of the local Kafka, with programs in place of Java and Maven. */
const PASSWORD = 'a-password-of-the-test';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-kafka-'));
  await mkdir(path.join(dir, 'bin'));
  vi.stubEnv('PATH', `${path.join(dir, 'bin')}${path.delimiter}${process.env['PATH'] ?? ''}`);
  vi.stubEnv('ALPENGLOW_ENGINES_CACHE', path.join(dir, 'cache'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

/** Writes a program that the tested code finds before others. */
const putProgram = (name: string, script: string) =>
  writeFile(path.join(dir, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

test.each([
  ['works', 0, 'Kafka did not start'],
  ['fails', 1, 'Formatting the storage of Kafka failed'],
])('is in a file for only this user, which is removed if the format %s', async (_what, status, error) => {
  await putProgram('mvn', 'for each; do case "$each" in -DoutputDirectory=*) mkdir -p "${each#*=}";; esac; done');
  // Records the arguments and the file of the format. The broker ends at once.
  await putProgram(
    'java',
    `case "$*" in
      -version) echo 'openjdk version "21.0.1"';;
      *StorageTool*)
        printf '%s' "$*" > '${dir}/arguments'
        for last; do :; done
        cp -p "\${last#@}" '${dir}/file'
        exit ${status};;
      *) exit 1;;
    esac`,
  );
  const kafka = await createKafka({
    dir: path.join(dir, 'kafka'),
    login: { username: 'alpenglow', password: PASSWORD },
  });
  await expect(kafka.start()).rejects.toThrow(error);
  const recorded = await readFile(path.join(dir, 'arguments'), 'utf8');
  expect(recorded).toMatch(/ kafka\.tools\.StorageTool @\S+$/u);
  expect(recorded).not.toContain(PASSWORD);
  const lines = (await readFile(path.join(dir, 'file'), 'utf8')).split('\n');
  expect(lines[0]).toBe('format');
  expect(lines.slice(-2)).toEqual(['--add-scram', `SCRAM-SHA-512=[name="alpenglow",password="${PASSWORD}"]`]);
  expect((await stat(path.join(dir, 'file'))).mode & 0o777).toBe(0o600);
  for (const entry of await readdir(path.join(dir, 'kafka'), { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      expect(await readFile(path.join(entry.parentPath, entry.name), 'utf8'), entry.name).not.toContain(PASSWORD);
  await kafka.dispose();
});
