import type { DomainEvent, Position, ProcessCommand } from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin, CommandResult } from '../service/command-handler.ts';

/** Handles a command that a process of the domain has returned. */
export function sendCommand(
  commands: CommandHandler,
  { aggregate, id, decide }: ProcessCommand,
  origin: CommandOrigin,
): Promise<CommandResult<unknown>> {
  return commands.handle<unknown, DomainEvent>(aggregate, id, decide as Parameters<typeof commands.handle>[2], origin);
}

/** Returns the position of the last event that the command has written, or null if it has written none. */
export function writtenPosition({ events, position }: CommandResult<unknown>): Position | null {
  return events.length > 0 ? position : null;
}
