import { Field, TextInput } from '@alpenglow/ui';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { useText } from './text.ts';
import { extractCode, cleanTypedCode } from './extract-code.ts';
import styles from './code-field.module.css';

interface CodeFieldProps {
  readonly registration: UseFormRegisterReturn;
  readonly hint: ReactNode;
  readonly error: string | undefined;
  /** The largest possible number of further attempts with the same code. Null before the first wrong code. */
  readonly attemptsLeft?: number | null;
  /** Called with the code when the visitor pastes it anywhere on the page. */
  readonly onPasted: (code: string) => void;
}

/** A field for the 6-digit code that was sent by mail. A pasted text may contain more than the code. */
export function CodeField({ registration, hint, error, attemptsLeft = null, onPasted }: CodeFieldProps) {
  const t = useText();
  const { ref: register, onChange, ...rest } = registration;
  const input = useRef<HTMLInputElement>(null);

  const paste = useEffectEvent((event: ClipboardEvent) => {
    const { target } = event;
    // The visitor pasted the text into another field, so it is not the code.
    if (target !== input.current && target instanceof Element && target.closest('input, textarea, [contenteditable]'))
      return;
    const code = extractCode(event.clipboardData?.getData('text') ?? '');
    if (code === null) return;
    event.preventDefault();
    onPasted(code);
    input.current?.focus();
  });
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => paste(event);
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, []);

  return (
    <Field
      label={t('auth.code')}
      hint={attemptsLeft === null ? hint : t('auth.attemptsLeft', { count: attemptsLeft })}
      error={error}
    >
      <TextInput
        {...rest}
        ref={(element) => {
          register(element);
          input.current = element;
        }}
        className={styles['code']}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => {
          event.target.value = cleanTypedCode(event.target.value);
          void onChange(event);
        }}
      />
    </Field>
  );
}
