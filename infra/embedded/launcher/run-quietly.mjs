// @ts-check
import { spawn } from 'node:child_process';

/**
 * @typedef {object} RunOptions
 * @property {string} cwd
 * @property {string} title
 * @property {NodeJS.ProcessEnv} [env]
 * @property {AbortSignal | undefined} [signal]  ends the program
 * @property {(pid: number) => void} [onStart]
 */

/**
 * Runs a program and keeps its output for the case that it fails; then the error carries the last of it.
 * @param {string} program
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<void>}
 */
export function runQuietly(program, args, { cwd, title, env = process.env, signal, onStart }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) onStart?.(child.pid);
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString('utf8')).slice(-8_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code, signalName) => {
      if (code === 0) resolve();
      else reject(new Error(`${title} failed (${signalName ?? `exit code ${code}`}):\n${output.trim()}`));
    });
  });
}
