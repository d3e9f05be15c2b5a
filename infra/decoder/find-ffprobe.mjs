// @ts-check
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { path as bundledPath } from 'ffprobe-static';

/** The oldest major version of ffprobe that is preferred to the bundled one. Older ones get no security fixes. */
const MIN_VERSION = 5;

/** @type {Promise<string> | null} */
let found = null;

/**
 * Returns the path or the name of ffprobe. The one of the operating system is preferred, because it gets security
 * fixes. The package `ffprobe-static` is the fallback, because it is always installed.
 * @returns {Promise<string>}
 */
export function findFfprobe() {
  found ??= versionOf('ffprobe').then((version) =>
    version >= MIN_VERSION || !existsSync(bundledPath) ? 'ffprobe' : bundledPath,
  );
  return found;
}

/**
 * Returns the major version of a program, or 0 if it cannot be started. A build between two versions has a number such
 * as `N-121000`, or a date, and counts as current.
 * @param {string} program
 * @returns {Promise<number>}
 */
function versionOf(program) {
  return new Promise((resolve) => {
    execFile(program, ['-version'], { timeout: 10_000 }, (error, stdout) => {
      const text = /^ffprobe version (\S+)/u.exec(stdout)?.[1];
      if (error || text === undefined) resolve(0);
      else resolve(/^n?(\d+)\./u.test(text) ? Number(/\d+/u.exec(text)?.[0]) : Number.POSITIVE_INFINITY);
    });
  });
}
