import { main as backup } from '../../launcher/tools/backup.ts';
import { main as migrateStore } from '../../launcher/tools/migrate-store.ts';
import { main as restore } from '../../launcher/tools/restore.ts';
import { main as secrets } from '../../launcher/tools/secrets.ts';
import type { ToolOptions } from '../../launcher/tools/tool.ts';

/** Command-line tools that this process can run. Unlike `launcher/tools/tool.mjs`, this process needs no build. */
const TOOLS = { backup, restore, secrets, 'migrate-store': migrateStore } as const;
export type ToolName = keyof typeof TOOLS;

export interface ToolCall extends Pick<ToolOptions, 'rootDir' | 'ownsDataDir'> {
  readonly tool: ToolName;
  readonly args: readonly string[];
}

const { tool, args, ...options } = JSON.parse(process.argv[2] ?? '') as ToolCall;
const abort = new AbortController();
process.once('SIGINT', () => abort.abort());
try {
  process.exitCode = await TOOLS[tool](args, { ...options, env: process.env, signal: abort.signal });
} catch (error) {
  process.stderr.write(
    `${abort.signal.aborted ? 'stopped' : String(error instanceof Error ? error.message : error)}\n`,
  );
  process.exitCode = abort.signal.aborted ? 130 : 1;
}
