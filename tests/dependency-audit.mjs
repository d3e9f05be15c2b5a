// @ts-check
/** Checks the packages of the product against the known vulnerabilities of the npm registry. */
import { spawn } from 'node:child_process';

/** Time limit of the audit. If the registry does not respond in time, the result is unknown. */
const LIMIT_MS = 60_000;
const ARGS = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=20000'];

/**
 * @typedef {object} Verdict
 * @property {boolean | null} isFine   null if no report is available
 * @property {string} words   a summary of one line
 */

/**
 * Evaluates the output of `npm audit --json`. A known critical vulnerability fails the check. The summary also lists
 * less severe vulnerabilities.
 * @param {string} output
 * @returns {Verdict}
 */
export function evaluateAudit(output) {
  const report = parse(output);
  const counts = report?.metadata?.vulnerabilities;
  if (report?.vulnerabilities === undefined || typeof counts?.critical !== 'number')
    return { isFine: null, words: 'unknown: the registry did not return an audit report' };
  const critical = Object.entries(report.vulnerabilities)
    .filter(([, { severity }]) => severity === 'critical')
    .map(([name]) => name);
  if (counts.critical > 0 || critical.length > 0)
    return {
      isFine: false,
      words: `critical: ${critical.join(', ') || counts.critical}. Run npm audit --omit=dev for details`,
    };
  const lessSevere = ['high', 'moderate', 'low'].flatMap((severity) =>
    counts[severity] ? [`${counts[severity]} ${severity}`] : [],
  );
  return { isFine: true, words: lessSevere.length > 0 ? `no critical ones (${lessSevere.join(', ')})` : 'none' };
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
 * Requests the audit report from the registry, with a limit of one minute.
 * @param {string} root   the checkout
 * @returns {Promise<Verdict>}
 */
export function auditDependencies(root) {
  return new Promise((resolve) => {
    const child = spawn('npm', ARGS, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], timeout: LIMIT_MS });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', () => resolve(evaluateAudit('')));
    child.once('close', () => resolve(evaluateAudit(output)));
  });
}
