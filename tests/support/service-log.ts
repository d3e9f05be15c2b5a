import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface LogLine {
  /** As the logger has it: 40 a warning, 50 an error, 60 the end of the process. A line that is none of the logger's is above all of them. */
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** What services logged, line by line. What a program writes past the logger, its last words among it, are lines too. */
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
