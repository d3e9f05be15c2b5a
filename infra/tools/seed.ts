import path from 'node:path';
import { createClosing, createLogger, migrate, openCore, readConfig } from '../src/index.ts';
import { SingleBar } from 'cli-progress';
import { seedDemo } from '../embedded/seed/seed.ts';
import type { ToolOptions } from './tool.ts';

/** Puts up the demo ads and accounts where they are missing, in the cluster that the environment names. Answers the exit code. */
export async function main(_args: readonly string[], { env, rootDir }: Pick<ToolOptions, 'env' | 'rootDir'>): Promise<number> {
  const config = readConfig(env);
  const { databaseUrl } = config;
  if (databaseUrl === null) throw new Error('DATABASE_URL: is needed (npm start seeds its own demo by itself)');
  const closing = createClosing();
  const bar = new SingleBar({ format: 'demo ads {bar} {value}/{total}', hideCursor: true, noTTYOutput: true, notTTYSchedule: 1_000 });
  try {
    await migrate(databaseUrl, { migrationsDir: path.join(rootDir, 'infra/migrations') });
    const context = { config, databaseUrl, dataDir: path.resolve(rootDir, config.dataDir), log: createLogger(config.logLevel), onStop: closing.add };
    const { commands, accountIdOf } = await openCore(context);
    await seedDemo({
      commands,
      accountIdOf,
      onProgress: (done, of) => {
        if (!bar.isActive) bar.start(of, 0);
        bar.update(done);
      },
    });
    return 0;
  } finally {
    bar.stop();
    await closing.closeAll();
  }
}
