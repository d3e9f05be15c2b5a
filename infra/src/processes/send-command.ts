import type { DomainEvent, ProcessCommand } from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import type { CommandResult } from '../service/loaded-state.ts';

/**
 * Executes a command that a process of the domain has returned. A process of the domain is code that decides which
 * commands follow from an event.
 */
export function sendCommand(
  commands: CommandHandler,
  { aggregate, id, decide }: ProcessCommand,
  origin: CommandOrigin,
): Promise<CommandResult<unknown>> {
  return commands.handle<unknown, DomainEvent>(aggregate, id, decide as Parameters<typeof commands.handle>[2], origin);
}
