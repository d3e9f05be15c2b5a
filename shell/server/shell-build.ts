import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locale } from '@alpenglow/ui/locales';

/** What the build says of the shell (shell/build/build.mjs). */
export interface ShellBuild {
  /** Of its files. */
  readonly hash: string;
  readonly sizeBytes: number;
  /** File names below `assets/`, in loading order. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /** Language → files with its texts. */
  readonly texts: Readonly<Partial<Record<Locale, readonly string[]>>>;
  readonly fonts: readonly string[];
}

/** @throws {Error} when the shell has not been built */
export function readShellBuild(distDir: string): ShellBuild {
  const file = path.join(distDir, 'build.json');
  try {
    // This project's own build wrote it.
    return JSON.parse(readFileSync(file, 'utf8')) as ShellBuild;
  } catch (cause) {
    throw new Error(`The shell has not been built: ${file} cannot be read. Run: node shell/build/build.mjs`, { cause });
  }
}
