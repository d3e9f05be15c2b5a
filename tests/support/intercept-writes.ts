import type { CommandHandler } from '@alpenglow/infra';

/**
 * Returns a command handler that calls `before` before each command. If `before` rejects, the command is not executed.
 */
export function interceptWrites<Handler extends CommandHandler>(
  commands: Handler,
  before: (aggregate: string) => Promise<unknown>,
): Handler {
  return {
    ...commands,
    async handle(aggregate, ...rest) {
      await before(aggregate.name);
      return commands.handle(aggregate, ...rest);
    },
    async execute(aggregate, ...rest) {
      await before(aggregate.name);
      return commands.execute(aggregate, ...rest);
    },
  };
}
