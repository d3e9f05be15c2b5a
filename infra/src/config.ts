import * as z from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');

/** Every setting, its default and its limits. Read once at boot; the README's table is held against this by a test. */
const environment = z.object({
  PORT: port.default(8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('.data'),
  DEMO: onOff.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/u }).optional(),
  ADMIN_EMAIL: z.email().optional(),
  EXPOSE_VERIFICATION_CODES: onOff.optional(),
  MF_DIR: z.string().min(1).default('.build/mf'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('warn'),
});

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly demo: boolean;
  /** Null: the embedded Postgres below `dataDir`. */
  readonly databaseUrl: string | null;
  readonly adminEmail: string | null;
  /** Sign-up answers carry the code. On in the embedded demo, off otherwise (product decisions). */
  readonly exposeVerificationCodes: boolean;
  readonly mfDir: string;
  readonly logLevel: z.output<typeof environment>['LOG_LEVEL'];
}

/** The configuration is wrong. The message lists every fault, one a line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Demo accounts one can sign in with; the README names them. */
export const DEMO_ADMIN_EMAIL = 'admin@demo.alpenglow.example';

/** Reads the configuration from environment variables; an empty variable counts as unset. Throws `ConfigurationError` with all faults at once. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    throw new ConfigurationError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  }
  const settings = parsed.data;
  const isProduction = env['NODE_ENV'] === 'production';
  const demo = settings.DEMO ?? !isProduction;
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir: settings.DATA_DIR,
    demo,
    databaseUrl: settings.DATABASE_URL ?? null,
    adminEmail: settings.ADMIN_EMAIL ?? (demo ? DEMO_ADMIN_EMAIL : null),
    exposeVerificationCodes: settings.EXPOSE_VERIFICATION_CODES ?? (settings.DATABASE_URL === undefined && !isProduction),
    mfDir: settings.MF_DIR,
    logLevel: settings.LOG_LEVEL,
  };
}
