import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { applyDefect, readDefects, type Defect } from './defects.ts';
import type { Anomaly } from './history.ts';
import { summarize } from './report.ts';
import { runPart } from './run-part.ts';

const run = promisify(execFile);
const CHECK_INTERVAL_ms = 5_000;
const SETTLE_LIMIT_ms = 15_000;
/** The load must end in time, and a client that waits for a claimed Idempotency-Key writes nothing. */
const REPEAT_LIMIT_ms = 8_000;
/** Time within which each defect must be found, from the start of the processes. */
const LIMIT_ms = 90_000;
/** With few clients, calls end within their limit also on a busy machine. */
const CLIENTS = 8;
/** Folders whose sources are part of the servers. They are copied, and everything else is linked. */
const SOURCES = ['domain', 'infra', 'launcher', 'command-api', 'query-api', 'projectors', 'workers', 'shell', 'ui'];
const NOT_COPIED = new Set(['node_modules', 'dist']);

/**
 * Runs the checker against each seeded defect whose name contains one of `filters`, or whose file name starts with one
 * of them, such as `07`. Prints the time to find each.
 * Returns the number of runs, and the number of defects that were not found in time.
 */
export async function runDefects(
  root: string,
  filters: readonly string[],
  seed: number,
): Promise<{ readonly runs: number; readonly missed: number }> {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  let missed = 0;
  const all = await readDefects(root);
  const defects = all.filter(({ name, file }) =>
    filters.some((text) => name.includes(text) || path.basename(file).startsWith(text)),
  );
  for (const defect of defects) {
    const { file, name, checks, kinds, target, gap_ms, each, load_ms, services } = defect;
    const isExpected = ({ check }: Anomaly) => checks.includes(check);
    const tree = await createTree(root, defect);
    try {
      const start_ms = Date.now();
      const result = await runPart({
        root: tree,
        dir: path.join(root, '.build/prove', path.basename(file, '.patch')),
        seed,
        duration_ms: load_ms,
        operations: Infinity,
        each,
        clients: CLIENTS,
        isEmbedded: services.length === 0,
        kinds,
        target,
        ...(gap_ms !== null && { gap_ms }),
        repeatLimit_ms: REPEAT_LIMIT_ms,
        checkInterval_ms: CHECK_INTERVAL_ms,
        settleLimit_ms: SETTLE_LIMIT_ms,
        isEnough: (anomalies) => anomalies.some(isExpected),
        onStep: () => undefined,
      });
      const unavailable = services.filter((service) => result.missing.some((line) => line.includes(service)));
      if (unavailable.length > 0) {
        print(`not run: ${name} (${result.missing.join('; ')})`);
        continue;
      }
      const duration_ms = result.end_ms - start_ms;
      const first = result.anomalies.find(isExpected);
      const isFound = first !== undefined && duration_ms <= LIMIT_ms;
      const reason = first ? `${first.check}: ${first.message}` : `no anomaly of the check ${checks.join(' or ')}`;
      print(`${isFound ? 'found' : 'MISSED'} in ${Math.round(duration_ms / 1000)} s: ${name} (${reason})`);
      if (isFound) continue;
      missed += 1;
      for (const line of summarize(result, 'none').lines) print(line);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  }
  return { runs: defects.length, missed };
}

/** Copies the sources of the servers into `.build`, applies the defect and builds the servers. */
async function createTree(root: string, defect: Defect): Promise<string> {
  await mkdir(path.join(root, '.build'), { recursive: true });
  const tree = await mkdtemp(path.join(root, '.build/defect-'));
  for (const entry of await readdir(root)) {
    if (SOURCES.includes(entry)) {
      await cp(path.join(root, entry), path.join(tree, entry), {
        recursive: true,
        filter: (source) => !NOT_COPIED.has(path.basename(source)),
      });
      for (const linked of NOT_COPIED) await link(path.join(root, entry, linked), path.join(tree, entry, linked));
    } else if (!NOT_COPIED.has(entry)) await link(path.join(root, entry), path.join(tree, entry));
  }
  // The servers must be built from the copied packages and into a separate folder.
  await rm(path.join(tree, 'launcher/dist'));
  await linkPackages(path.join(root, 'node_modules'), path.join(tree, 'node_modules'), tree);
  await applyDefect(defect, tree);
  await run(process.execPath, [path.join(tree, 'launcher/build/build-servers.mjs')], {
    cwd: tree,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return tree;
}

/** Creates a folder of links to all installed packages. The packages of the product are those in `tree`. */
async function linkPackages(from: string, to: string, tree: string): Promise<void> {
  await mkdir(path.join(to, '@alpenglow'), { recursive: true });
  for (const name of await readdir(from))
    if (name !== '@alpenglow') await link(path.join(from, name), path.join(to, name));
  for (const name of await readdir(path.join(from, '@alpenglow')))
    await link(path.join(tree, name), path.join(to, '@alpenglow', name));
}

async function link(target: string, at: string): Promise<void> {
  await symlink(target, at).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
