import type { CommandOrigin } from '@alpenglow/infra';

/**
 * Returns the origin of a command that the workers execute. The origin contains the actor, with the name `name`, and
 * the correlation id.
 */
export function systemOrigin(name: string, correlationId = name): CommandOrigin {
  return { actor: { kind: 'system', name }, correlationId };
}
