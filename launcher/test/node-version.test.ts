import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** Runs `npm start` in a process that reports another version of Node. */
function startWith(version: string) {
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
  const args = [`--import=data:text/javascript,${encodeURIComponent(code)}`, 'launcher/embedded/start.mjs'];
  // If the version were accepted, the invalid port would end the start.
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env: { ...process.env, PORT: 'none' } });
}

// The smoke test in tests/browser starts the product with supported versions.
test.each(['18.20.8', '20.18.3', '21.7.3', '22.12.0', '23.11.1'])('npm start rejects Node %s', (version) => {
  const { status, stderr } = startWith(version);
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^Alpenglow needs Node .*; this is ${version.replaceAll('.', '\\.')}\\.\n$`, 'u'));
});
