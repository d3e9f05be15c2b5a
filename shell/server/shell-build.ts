import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locale } from '@alpenglow/ui/locales';

/** The result of the shell's build (shell/build/build.mjs). */
export interface ShellBuild {
  readonly hash: string;
  readonly sizeBytes: number;
  /** The versions of the contract that the shell offers, and those of the shared packages that it provides. */
  readonly contracts?: readonly string[];
  readonly packages?: Readonly<Record<string, string>>;
  /** The style tokens that the shell defines. */
  readonly tokens?: readonly string[];
  /** File names below `assets/`, in the order in which they must be loaded. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  readonly texts: Readonly<Partial<Record<Locale, readonly string[]>>>;
  readonly fonts: readonly string[];
  /** The bundle with which the server renders pages. Only the browser renders them if it is missing. */
  readonly server?: { readonly integrity: string };
  /** Names of the files of each lazily loaded page, by chunk name. */
  readonly chunks?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads the result of the shell's build from its `build.json`.
 * @throws {Error} if the shell has not been built
 */
export function readShellBuild(distDir: string): ShellBuild {
  const file = path.join(distDir, 'build.json');
  try {
    // The cast is safe, because the shell's build wrote the JSON.
    return JSON.parse(readFileSync(file, 'utf8')) as ShellBuild;
  } catch (cause) {
    throw new Error(`The shell has not been built: ${file} cannot be read. Run: node shell/build/build.mjs`, { cause });
  }
}
