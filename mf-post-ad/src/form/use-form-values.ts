import { useWatch, type Control } from 'react-hook-form';
import type { NewAdFields } from '@alpenglow/domain/contracts';
import type { FormValues } from './form-values.ts';

export interface WatchedForm {
  readonly control: Control<FormValues, unknown, NewAdFields>;
  readonly initial: FormValues;
}

/** Returns the current values of the form. The component is rendered again on every change. */
export function useFormValues({ control, initial }: WatchedForm): FormValues {
  return { ...initial, ...useWatch({ control }) } as FormValues;
}
