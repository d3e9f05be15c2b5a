// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readGraph } from './import-graph.mjs';
import { kindOf, selectTests } from './select.mjs';

const MAX_OUTPUT_bytes = 64 * 1024 * 1024;
const MAIN_BRANCHES = ['origin/main', 'main'];

/**
 * Selects the checks for the files that differ from `ref`, or from the commit at which the branch left the main branch.
 * Files that Git does not know yet count as changed.
 * @param {string} root   the checkout
 * @param {string | undefined} ref
 * @param {{ readonly isFull: boolean }} run   a full run includes long test files
 * @returns the selected test files, the sources to lint, the files to format, and lines that explain the selection
 */
export function selectChanged(root, ref, { isFull }) {
  const { base, changed, files: present } = readChanges(root, ref);
  const graph = readGraph(root, present);
  const { everything, tests, sources, all } = selectTests(graph, changed, root);
  const runs = (/** @type {string} */ test) => isFull || !test.includes('.long.test.') || changed.includes(test);
  const selected = [...tests.keys()].filter(runs);
  const files = `${changed.length} changed ${changed.length === 1 ? 'file' : 'files'} since ${base.slice(0, 12)}`;
  return {
    isEverything: everything !== null,
    tests: selected,
    sources,
    formatted: changed.filter((file) => present.includes(file)),
    lines:
      everything === null
        ? [`${files}:`, ...explain(all.filter(runs), tests)]
        : [`${files}. All checks run, because ${everything} has changed.`],
  };
}

/**
 * Returns the files that differ from a commit, by default the commit at which the branch left the main branch.
 * @param {string} root
 * @param {string | undefined} ref
 * @returns the commit, the changed files, which may have been deleted, and all present files
 * @throws {Error} if Git is missing, `root` is not in a repository, or there is no such commit
 */
export function readChanges(root, ref) {
  const git = (/** @type {string[]} */ ...args) => {
    const { error, status, stdout, stderr } = spawnSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT_bytes,
    });
    if (status === 0) return stdout;
    const reason = (error?.message ?? stderr).trim();
    throw new Error(`--changed reads the changes with Git, which failed: git ${args.join(' ')}: ${reason}`);
  };
  const list = (/** @type {string[]} */ ...args) =>
    git(...args)
      .split('\0')
      .filter(Boolean);
  const base = ref ?? findBase(git);
  const untracked = list('ls-files', '-z', '--others', '--exclude-standard');
  return {
    base,
    changed: [...list('diff', '-z', '--name-only', '--no-renames', base, '--'), ...untracked],
    files: [...list('ls-files', '-z'), ...untracked].filter((file) => existsSync(path.join(root, file))),
  };
}

/** @param {(...args: string[]) => string} git */
function findBase(git) {
  const branches = git('for-each-ref', '--format=%(refname:short)', 'refs/remotes/origin', 'refs/heads').split('\n');
  const main = MAIN_BRANCHES.find((name) => branches.includes(name));
  return main === undefined ? 'HEAD' : git('merge-base', 'HEAD', main).trim();
}

/**
 * Returns a line for each kind of test with the number of selected files, the files left out, and the reasons.
 * @param {readonly string[]} all
 * @param {ReadonlyMap<string, string>} reasons
 */
export function explain(all, reasons) {
  return [...new Set(all.map(kindOf))].map((kind) => {
    const files = all.filter((test) => kindOf(test) === kind);
    const given = files.flatMap((test) => reasons.get(test) ?? []);
    const distinct = [...new Set(given)];
    return (
      `  ${kind}: ${given.length} of ${files.length} files` +
      (given.length < files.length ? `, ${files.length - given.length} left out` : '') +
      (distinct.length > 0 ? ` (${distinct.slice(0, 3).join('; ')}${distinct.length > 3 ? '; …' : ''})` : '')
    );
  });
}
