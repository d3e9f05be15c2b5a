// @ts-check
/** What the registry knows against the packages that are shipped. */
import { spawn } from 'node:child_process';

/** A registry that has not answered by then is taken for one that answers none. */
const LIMIT_MS = 60_000;
const ARGS = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=20000'];

/**
 * @typedef {object} Verdict
 * @property {boolean | null} isFine   null: there is nothing to judge by
 * @property {string} words   one line
 */

/**
 * Judges what `npm audit --json` printed: a known critical hole is none to run with; of lesser ones the line tells.
 * @param {string} output
 * @returns {Verdict}
 */
export function judgeAudit(output) {
  const report = parse(output);
  const counts = report?.metadata?.vulnerabilities;
  if (report?.vulnerabilities === undefined || typeof counts?.critical !== 'number')
    return { isFine: null, words: 'not known: the registry answers no audit' };
  const critical = Object.entries(report.vulnerabilities)
    .filter(([, { severity }]) => severity === 'critical')
    .map(([name]) => name);
  if (counts.critical > 0 || critical.length > 0)
    return {
      isFine: false,
      words: `critical: ${critical.join(', ') || counts.critical}. npm audit --omit=dev tells more`,
    };
  const lesser = ['high', 'moderate', 'low'].flatMap((severity) =>
    counts[severity] ? [`${counts[severity]} ${severity}`] : [],
  );
  return { isFine: true, words: lesser.length > 0 ? `none that is critical (${lesser.join(', ')})` : 'none' };
}

/**
 * @typedef {object} Report
 * @property {Record<string, { severity: string }>} [vulnerabilities]
 * @property {{ vulnerabilities?: Record<string, number> }} [metadata]
 */

/** @param {string} output @returns {Report | null} */
function parse(output) {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}

/**
 * Asks the registry, within a minute.
 * @param {string} root   the checkout
 * @returns {Promise<Verdict>}
 */
export function auditDependencies(root) {
  return new Promise((resolve) => {
    const child = spawn('npm', ARGS, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], timeout: LIMIT_MS });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', () => resolve(judgeAudit('')));
    child.once('close', () => resolve(judgeAudit(output)));
  });
}
