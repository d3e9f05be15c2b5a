import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FOLDER = 'prove/defects';
const DIFF_START = /^diff --git /mu;
const FIELD = /^(?<name>[A-Z][a-z]+): (?<value>.+)$/u;

/** A seeded defect of the product: a patch of its sources, and the settings of the run that must find it. */
export interface Defect {
  /** Path of the patch. */
  readonly file: string;
  readonly name: string;
  /** The checks of which one must find it. */
  readonly checks: readonly string[];
  /** Kinds of disruptions during the run. */
  readonly kinds: readonly string[];
  /** Only processes whose name starts with this text are disrupted. */
  readonly target: string;
  /** Maximum time between two disruptions. Null for that of other runs. */
  readonly gap_ms: number | null;
  /** Number of processes of each service. */
  readonly each: number;
  /** Duration of the load. */
  readonly load_ms: number;
  /** The names of the backing services that the run needs, e.g. `Kafka`. Without any, Postgres replaces them. */
  readonly services: readonly string[];
}

const toList = (value: string) => value.split(', ').filter(Boolean);

/**
 * Returns the defect that the patch `text` describes. The lines before the first `diff --git` are its fields, such as
 * `Check: mails`. `Disruptions`, `Target`, `Gap` in seconds, `Processes`, `Load` in seconds and `Services` are
 * optional. Throws if a field is missing or unknown.
 */
export function parseDefect(file: string, text: string): Defect {
  const fields = new Map<string, string>();
  for (const line of text.slice(0, text.search(DIFF_START)).trim().split('\n')) {
    const { name, value } = FIELD.exec(line)?.groups ?? {};
    if (name === undefined || value === undefined) throw new Error(`${file}: "${line}" is not a field`);
    fields.set(name, value);
  }
  const take = (field: string, otherwise?: string) => {
    const value = fields.get(field) ?? otherwise;
    if (value === undefined) throw new Error(`${file}: the field "${field}" is missing`);
    fields.delete(field);
    return value;
  };
  const gap = take('Gap', '');
  const defect: Defect = {
    file,
    name: take('Name'),
    checks: toList(take('Check')),
    kinds: toList(take('Disruptions', '')),
    target: take('Target', ''),
    gap_ms: gap === '' ? null : Number(gap) * 1_000,
    each: Number(take('Processes', '1')),
    load_ms: Number(take('Load', '20')) * 1_000,
    services: toList(take('Services', '')),
  };
  if (fields.size > 0) throw new Error(`${file}: unknown field "${[...fields.keys()].join()}"`);
  return defect;
}

/** Returns all seeded defects in the order of their file names. `root` is the path of the repository. */
export async function readDefects(root: string): Promise<readonly Defect[]> {
  const names = (await readdir(path.join(root, FOLDER))).filter((name) => name.endsWith('.patch')).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = path.join(root, FOLDER, name);
      return parseDefect(file, await readFile(file, 'utf8'));
    }),
  );
}

/**
 * Applies the patch of a defect to the sources in the folder `tree`. With `isDryRun`, the sources stay unchanged.
 * Rejects if the patch does not apply.
 */
export async function applyDefect({ file }: Defect, tree: string, { isDryRun = false } = {}): Promise<void> {
  await run('git', ['apply', ...(isDryRun ? ['--check'] : []), file], {
    cwd: tree,
    // Inside a repository, `git apply` skips all files outside of the current folder without an error. Therefore, it
    // must not find the repository that contains the tree.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(tree) },
  });
}
