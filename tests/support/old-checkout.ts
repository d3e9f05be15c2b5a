import { execFile, spawn } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
/** Folder of the extracted commits. It is in `.build`, so that a later run uses an installed and built commit again. */
const CHECKOUTS = path.join(root, '.build/upgrades');

/**
 * Returns the full id of a commit. Returns null if the history does not contain it, for example in a clone with depth
 * 1, or if there is no history.
 */
export async function findCommit(name: string): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', root, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
    return stdout.trim();
  } catch {
    return null;
  }
}

/** Returns the time of a commit in ISO 8601. */
export async function readCommitTime(commit: string): Promise<string> {
  const { stdout } = await run('git', ['-C', root, 'show', '--no-patch', '--format=%cI', commit]);
  return stdout.trim();
}

/**
 * Extracts the files of a commit and returns their folder. `npm start` in this folder installs the packages of the
 * commit's own lock file and builds the commit. Throws if the history does not contain the commit.
 */
export async function checkOut(name: string): Promise<{ readonly commit: string; readonly folder: string }> {
  const commit = await findCommit(name);
  if (commit === null) throw new Error(`The history of this checkout does not contain ${name}`);
  const folder = path.join(CHECKOUTS, commit.slice(0, 8));
  if (existsSync(folder)) return { commit, folder };
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const archive = spawn('git', ['-C', root, 'archive', commit], { stdio: ['ignore', 'pipe', 'inherit'] });
  const tar = spawn('tar', ['-x', '-C', draft], { stdio: ['pipe', 'inherit', 'inherit'] });
  archive.stdout.pipe(tar.stdin);
  const codes = await Promise.all(
    [archive, tar].map((child) => new Promise((resolve) => child.once('close', resolve))),
  );
  if (codes.some((code) => code !== 0)) throw new Error(`${name} could not be extracted`);
  await rename(draft, folder);
  return { commit, folder };
}

/**
 * Installs the packages of an extracted commit and builds it. Rejects with the output if a step fails. The front ends
 * are deployed inside the folder, and not to the folder that the tests of this checkout use.
 */
export async function buildCheckout(folder: string): Promise<void> {
  const prepare = pathToFileURL(path.join(folder, 'launcher/start/prepare.mjs')).href;
  const script = `import { prepareCheckout } from '${prepare}'; await prepareCheckout(process.cwd(), () => undefined);`;
  const env = { ...process.env };
  delete env['MF_DIR'];
  await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder, env });
}
