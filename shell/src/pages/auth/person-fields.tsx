import { Field, Radio, RadioGroup, TextInput } from '@alpenglow/ui';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { useText } from './text.ts';

type Name = 'userType' | 'displayName' | 'age';

interface PersonFieldsProps {
  readonly register: (name: Name, options?: { readonly valueAsNumber?: true }) => UseFormRegisterReturn;
  readonly errors: Readonly<Partial<Record<Name, { readonly message?: string | undefined }>>>;
}

/** The fields for the type, the display name and the age of an account. */
export function PersonFields({ register, errors }: PersonFieldsProps) {
  const t = useText();
  return (
    <>
      <RadioGroup legend={t('auth.userType')} error={errors.userType?.message}>
        <Radio value="client" label={t('auth.client')} hint={t('auth.clientHint')} {...register('userType')} />
        <Radio value="provider" label={t('auth.provider')} hint={t('auth.providerHint')} {...register('userType')} />
      </RadioGroup>
      <Field label={t('auth.displayName')} hint={t('auth.displayNameHint')} error={errors.displayName?.message}>
        <TextInput autoComplete="nickname" {...register('displayName')} />
      </Field>
      <Field label={t('auth.age')} hint={t('auth.ageHint')} error={errors.age?.message}>
        <TextInput type="number" inputMode="numeric" autoComplete="off" {...register('age', { valueAsNumber: true })} />
      </Field>
    </>
  );
}
