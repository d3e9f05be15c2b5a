import { writeSync } from 'node:fs';

/** Prints a line for `support/processes.ts` before it returns, so that a kill right after cannot take it back. */
export function printLine(line: string): void {
  writeSync(1, `${line}.\n`);
}
