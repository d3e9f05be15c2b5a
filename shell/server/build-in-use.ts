import { lstatSync, realpathSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Returns the folder of the current build, which a running server keeps, although later builds change the symbolic link
 * to it. A file next to the folder contains the id of this process in its name, so that no later build removes the
 * folder while the process runs (shell/build/finish-build.mjs).
 * @param dist  a symbolic link to the folder. In an image, it is the folder itself.
 */
export function useBuild(dist: string): string {
  const folder = realpathSync(dist);
  if (!lstatSync(dist).isSymbolicLink()) return folder;
  const mark = `${folder}.in-use.${process.pid}`;
  try {
    writeFileSync(mark, '');
  } catch {
    // The folder is read-only, so no build writes into it either.
    return folder;
  }
  process.once('exit', () => rmSync(mark, { force: true }));
  return folder;
}
