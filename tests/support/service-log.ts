import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface LogLine {
  /**
   * Level of the logger. It is 40 for a warning, 50 for an error and 60 for the end of the process. A line that the
   * logger did not write has a higher level.
   */
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/**
 * Reads the log of services line by line. It includes lines that the logger did not write, such as the last error of a
 * process.
 */
export async function* readServiceLog(file: string): AsyncGenerator<LogLine> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield parse(line);
}

function parse(line: string): LogLine {
  try {
    const { level, msg, ...fields } = JSON.parse(line) as Partial<LogLine>;
    return { ...fields, level: level ?? Infinity, msg: msg ?? line };
  } catch {
    return { level: Infinity, msg: line };
  }
}
