import { useEffect, useEffectEvent } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';

/** Calls `save` with the values of a form after each change. */
export function useFormDraft<Values extends FieldValues>(
  { subscribe, getValues }: Pick<UseFormReturn<Values>, 'subscribe' | 'getValues'>,
  save: (values: Values) => void,
): void {
  const onChange = useEffectEvent(() => save(getValues()));
  useEffect(() => subscribe({ formState: { values: true }, callback: () => onChange() }), [subscribe]);
}
