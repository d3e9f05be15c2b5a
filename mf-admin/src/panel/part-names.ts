import { translateOr, type useText } from '../text.ts';

type T = ReturnType<typeof useText>;

/**
 * Returns the name of the part of the system that caused an event, such as "System: decisions". Parts without
 * a name, for example of an earlier version, are called "System".
 */
export function formatSystemName(t: T, id: string): string {
  return translateOr(t, `system.${id}`, t('system.unknown'));
}

/**
 * Returns the name of a consumer of events in words, e.g. of a read model, a reactor or the audit chain. Returns its
 * technical name if it has no translation.
 */
export function formatConsumerName(t: T, name: string): string {
  return translateOr(t, `consumer.${name}`, formatProjectionName(t, name));
}

/** Returns the name of a read model in words, or its technical name if it has no translation. */
export function formatProjectionName(t: T, name: string): string {
  return translateOr(t, `projection.${name}`, name);
}
