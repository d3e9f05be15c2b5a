import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Writes the results of a benchmark with the time and the machine to a JSON file in `bench`, which Git ignores. */
export async function writeResults(root: string, name: string, results: object): Promise<void> {
  const machine = { cpus: os.cpus().length, model: os.cpus()[0]?.model, node: process.version };
  const content = { at: new Date().toISOString(), machine, ...results };
  await writeFile(path.join(root, 'bench', name), `${JSON.stringify(content, null, 2)}\n`);
}
