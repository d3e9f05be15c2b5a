import { Button, Field, TextInput } from '@alpenglow/ui';
import { useEffect, useRef, useState } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { useText } from './text.ts';
import { CodeField } from './code-field.tsx';

interface SecondStepProps {
  readonly registration: UseFormRegisterReturn;
  readonly error: string | undefined;
  readonly onPasted: (code: string) => void;
  /** Called when the visitor switches between app code and recovery code, so that the typed code can be deleted. */
  readonly onSwitch: () => void;
}

/**
 * Asks for a code from the authenticator app, or for a recovery code if the visitor does not have the app. Moves the
 * focus to the field.
 */
export function SecondStep({ registration, error, onPasted, onSwitch }: SecondStepProps) {
  const t = useText();
  const [isRecovery, setIsRecovery] = useState(false);
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => fields.current?.querySelector('input')?.focus(), [isRecovery]);

  return (
    <>
      <div ref={fields}>
        {isRecovery ? (
          <Field label={t('auth.recoveryCode')} hint={t('auth.recoveryCodeHint')} error={error}>
            <TextInput autoComplete="off" autoCapitalize="none" spellCheck={false} {...registration} />
          </Field>
        ) : (
          <CodeField registration={registration} hint={t('auth.secondStepHint')} error={error} onPasted={onPasted} />
        )}
      </div>
      <Button
        variant="quiet"
        onClick={() => {
          onSwitch();
          setIsRecovery(!isRecovery);
        }}
      >
        {t(isRecovery ? 'auth.useApp' : 'auth.useRecoveryCode')}
      </Button>
    </>
  );
}
