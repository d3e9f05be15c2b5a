import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** Runs a script of the checkout with its arguments, e.g. `['seed', '--', '--ads', '5']`. Returns its output. */
export async function runScript(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn('npm', ['run', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`npm run ${args.join(' ')} ended with ${String(code)}: ${text}`);
  return text;
}

/** Installs the packages of a folder with the versions of its lock file, unless they are installed. */
export async function installOnDemand(folder: string): Promise<void> {
  if (existsSync(path.join(folder, 'node_modules/.package-lock.json'))) return;
  process.stderr.write(`Installing the packages of ${folder}\n`);
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
}
