import type { Aggregate, Decision } from '../aggregate.ts';
import type { DomainEvent } from '../events.ts';

/**
 * A command that a process sends. It consists of the aggregate instance that receives it, and a decider with the bound
 * command.
 */
export interface ProcessCommand {
  readonly aggregate: Aggregate<unknown, DomainEvent>;
  readonly id: string;
  readonly decide: Decision<never, DomainEvent>;
}

/** Creates a command that a process sends. The types guarantee that `decide` belongs to the aggregate. */
export function processCommand<State, Event extends DomainEvent>(
  aggregate: Aggregate<State, Event>,
  id: string,
  decide: Decision<State, Event>,
): ProcessCommand {
  return { aggregate, id, decide };
}
