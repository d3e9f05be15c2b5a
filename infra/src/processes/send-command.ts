import type { DomainEvent, ProcessCommand } from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin, CommandResult } from '../service/command-handler.ts';

/** Handles a command that a process of the domain has returned. */
export function sendCommand(
  commands: CommandHandler,
  { aggregate, id, decide }: ProcessCommand,
  origin: CommandOrigin,
): Promise<CommandResult<unknown>> {
  return commands.handle<unknown, DomainEvent>(aggregate, id, decide as Parameters<typeof commands.handle>[2], origin);
}
