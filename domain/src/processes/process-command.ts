import type { Aggregate, Decision } from '../aggregate.ts';
import type { DomainEvent } from '../events.ts';
import type { CommandHandler, CommandOrigin, CommandResult } from '../ports/command-handler.ts';

/**
 * A command that follows from earlier events, e.g. to hide an ad after a moderation decision. `aggregate` and `id` name
 * the receiver, such as one ad or one account. `decide` returns the resulting events.
 */
export interface ProcessCommand {
  readonly aggregate: Aggregate<unknown, DomainEvent>;
  readonly id: string;
  readonly decide: Decision<never, DomainEvent>;
}

/**
 * Creates a command that follows from earlier events, e.g. to hide an ad after a moderation decision. The types
 * guarantee that `decide` belongs to the aggregate.
 */
export function processCommand<State, Event extends DomainEvent>(
  aggregate: Aggregate<State, Event>,
  id: string,
  decide: Decision<State, Event>,
): ProcessCommand {
  return { aggregate, id, decide };
}

/** Executes a command that follows from earlier events. */
export function sendCommand(
  commands: CommandHandler,
  { aggregate, id, decide }: ProcessCommand,
  origin: CommandOrigin,
): Promise<CommandResult<unknown>> {
  return commands.handle<unknown, DomainEvent>(aggregate, id, decide as Decision<unknown, DomainEvent>, origin);
}
