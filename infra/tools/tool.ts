import { parseArgs, type ParseArgsConfig } from 'node:util';

/** What `tool.mjs` hands to a tool's `main`. */
export interface ToolOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly rootDir: string;
  /** Whether DATA_DIR is locked for this tool; otherwise another process is at work there. */
  readonly ownsDataDir: boolean;
  /** Aborts when the tool is asked to stop. What it has begun can be gone on with. */
  readonly signal?: AbortSignal;
}

/** A fault whose message is for the person at the terminal, without a stack. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The exit code for arguments that are no use. */
export const WRONG_USAGE = 2;

/** The options a command line gives, or null after the usage was shown because they are wrong. */
export function readOptions<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false, strict: true }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    return null;
  }
}

/** Says on standard error what is being done: standard output carries results alone. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}
