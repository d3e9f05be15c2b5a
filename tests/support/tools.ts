import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeBackupKey } from '../../launcher/tools/backup/backup-key.ts';
import { bundleForNode } from './bundle.mjs';
import type { ToolCall, ToolName } from './tool-process.ts';

interface ToolExit {
  /** Exit code of the tool, or null if the tool was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunningTool {
  readonly ended: Promise<ToolExit>;
  kill(signal: 'SIGKILL' | 'SIGINT'): void;
}

export interface Tools {
  /** The file with the key of the backups, which every tool gets as BACKUP_KEY_FILE. */
  readonly backupKeyFile: string;
  start(tool: ToolName, args: readonly string[], env: Readonly<Record<string, string>>): RunningTool;
  run(tool: ToolName, args: readonly string[], env: Readonly<Record<string, string>>): Promise<ToolExit>;
  remove(): Promise<void>;
}

const rootDir = path.resolve(import.meta.dirname, '../..');

/** Bundles the command-line tools. Each started tool runs in its own process, so that a test can kill it. */
export async function buildTools(): Promise<Tools> {
  const bundle = await bundleForNode('./tool-process.ts');
  const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-backup-key-'));
  const backupKeyFile = path.join(folder, 'backup-key.txt');
  await writeBackupKey(backupKeyFile);
  function start(tool: ToolName, args: readonly string[], env: Readonly<Record<string, string>>): RunningTool {
    const call: ToolCall = { tool, args, rootDir, ownsDataDir: true };
    // The tool gets only these variables, so that variables of Vitest do not affect it.
    const child = spawn(process.execPath, [bundle.path, JSON.stringify(call)], {
      env: {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: tmpdir() },
        ...{ BACKUP_KEY_FILE: backupKeyFile, ...env },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    return {
      ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr }))),
      kill: (signal) => child.kill(signal),
    };
  }
  return {
    backupKeyFile,
    start,
    run: (tool, args, env) => start(tool, args, env).ended,
    async remove() {
      await bundle.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
