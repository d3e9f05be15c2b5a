import type { CommandOrigin } from '@alpenglow/infra';

/** Returns the origin of a command that the workers execute. `name` is the name of the actor. */
export function systemOrigin(name: string, correlationId = name): CommandOrigin {
  return { actor: { kind: 'system', name }, correlationId };
}
