// @ts-check
import { spawn } from 'node:child_process';

/**
 * Runs a program and keeps its output for the case that it fails; then the error carries the last of it.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, title: string }} options
 * @returns {Promise<void>}
 */
export function runQuietly(program, args, { cwd, env = process.env, title }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString('utf8')).slice(-8_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${title} failed (${signal ?? `exit code ${code}`}):\n${output.trim()}`));
    });
  });
}
