import { writeSync } from 'node:fs';

/**
 * Prints a line that `support/processes.ts` reads. Prints synchronously, so that the line is complete even if the
 * process is killed directly afterwards.
 */
export function printLine(line: string): void {
  writeSync(1, `${line}.\n`);
}
