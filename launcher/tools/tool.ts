import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The options that `tool.mjs` passes to a tool's `main`. */
export interface ToolOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly rootDir: string;
  /** True if DATA_DIR is locked for this tool. False if another process is using it. */
  readonly ownsDataDir: boolean;
  /** Aborts when the user stops the tool. The user can continue the work of the tool later. */
  readonly signal?: AbortSignal;
}

/** An error whose message is for the user. It is printed without a stack trace. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** Exit code for invalid command-line arguments. */
export const EXIT_WRONG_USAGE = 2;

/** Parses the command line. If an option is invalid, prints the usage and returns null. */
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

/** Prints a message to standard error, because standard output is reserved for results. */
export function printMessage(message: string): void {
  process.stderr.write(`${message}\n`);
}
