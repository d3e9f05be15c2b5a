// @ts-check
import { spawn } from 'node:child_process';

/**
 * @typedef {object} RunOptions
 * @property {string} cwd
 * @property {string} title
 * @property {NodeJS.ProcessEnv} [env]
 * @property {AbortSignal | undefined} [signal]  ends the program when it aborts
 * @property {(pid: number) => void} [onStart]
 */

/**
 * Runs a program without showing its output. If the program fails, the error contains the end of its output.
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
    const append = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString('utf8')).slice(-8_000);
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    child.once('error', reject);
    child.once('close', (code, signalName) => {
      if (code === 0) resolve();
      else reject(new Error(`${title} failed (${signalName ?? `exit code ${code}`}):\n${output.trim()}`));
    });
  });
}
